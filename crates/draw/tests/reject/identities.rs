//! An attempt is, bit by bit, a draw without bounds that is kept or thrown away.

use super::relaxed::{Drawn, geometric, one_total};
use draw::{ClosedForm, Sampler};
use exact::Tape;

/// Every tape of these many bits gives the same table both ways.
fn same_bits(drawn: &Drawn, bits: u32, mut free: impl FnMut(&mut Tape) -> Vec<i64>) {
    let sampler = drawn.sampler();
    let (mut kept, mut thrown) = (0, 0);
    for tape_bits in 0..1u64 << bits {
        let mut values = vec![0; drawn.counts.len()];
        let accepted = sampler.attempt(&drawn.counts, &mut Tape::new(tape_bits, bits), &mut values).unwrap();
        let mut tape = Tape::new(tape_bits, bits);
        let table: Vec<i64> = free(&mut tape).iter().zip(&drawn.counts).map(|(noise, centre)| noise + centre).collect();
        assert_eq!(accepted, drawn.keeps(&table), "{tape_bits:b}: {table:?}");
        if accepted {
            assert_eq!(values, table, "{tape_bits:b}");
        }
        *(if accepted { &mut kept } else { &mut thrown }) += 1;
    }
    assert!(kept > 100 && thrown > 100, "{kept} kept, {thrown} thrown away");
}

#[test]
fn attempts_are_free_draws_that_keep_the_bounds() {
    let drawn = Drawn::new(one_total(), &[2, 0, 1], geometric("1"));
    let free = ClosedForm::new(drawn.law.parameter());
    same_bits(&drawn, 13, |tape| {
        let mut noise = vec![0; 3];
        free.draw_block(tape, 0, &mut noise);
        noise
    });
}

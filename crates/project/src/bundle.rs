//! `Bundles`: cells between the same two sums as one arc, cheapest units first; equal prices are
//! shared evenly.
//!
//! The cost of so many units over several cells is least when units are taken in the order of their
//! prices. The prices of a cell grow, so merging the pieces of all cells by price gives the cost of
//! the bundle, which is convex again.

use crate::convex::{Convex, even_shares};
use crate::flow::FAR;
use std::collections::HashMap;

/// A cell, its bounds and its cost.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellArc {
    pub low: Option<i64>,
    pub high: Option<i64>,
    pub cost: Convex,
    /// Where to start among equally cheap values.
    pub wish: i64,
}

/// Units of a cell at one price.
#[derive(Debug, Clone, Copy)]
struct Piece {
    price: i128,
    cell: u32,
    length: i64,
}

/// Cells between the same two sums.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub ends: (u32, u32),
    pub low: i64,
    pub high: i64,
    pub cost: Convex,
    /// What the cells have together, each at its own cheapest value.
    pub start: i64,
    ups: Vec<Piece>,
    downs: Vec<Piece>,
}

/// All bundles of a network, and the cheapest value of every cell.
#[derive(Debug)]
pub(crate) struct Bundles {
    pub list: Vec<Bundle>,
    values: Vec<i64>,
}

impl Bundles {
    /// Of cells with the sums that they are between; `None` when the bounds of a cell cross.
    pub fn new(cells: &[CellArc], ends: &[(u32, u32)]) -> Option<Bundles> {
        let mut number_of = HashMap::new();
        let mut list: Vec<Bundle> = Vec::new();
        let mut values = Vec::with_capacity(cells.len());
        for (number, (cell, ends)) in cells.iter().zip(ends).enumerate() {
            let (low, high) = (cell.low.unwrap_or(-FAR), cell.high.unwrap_or(FAR));
            if low > high {
                return None;
            }
            let place = *number_of.entry(*ends).or_insert_with(|| {
                let (cost, ups, downs) = (Convex::default(), Vec::new(), Vec::new());
                list.push(Bundle { ends: *ends, low: 0, high: 0, cost, start: 0, ups, downs });
                list.len() - 1
            });
            let value = cell.cost.cheapest_near(cell.wish, low, high);
            let bundle = &mut list[place];
            let (mut at, number) = (value, number as u32);
            while at < high {
                let (price, same) = cell.cost.up(at);
                let length = same.min(high - at);
                bundle.ups.push(Piece { price, cell: number, length });
                at += length;
            }
            at = value;
            while at > low {
                let (price, same) = cell.cost.down(at);
                let length = same.min(at - low);
                bundle.downs.push(Piece { price, cell: number, length });
                at -= length;
            }
            bundle.start += value;
            values.push(value);
        }
        list.iter_mut().for_each(Bundle::merge);
        Some(Bundles { list, values })
    }

    /// The values of the cells from those of the bundles.
    pub fn unbundled(&self, flow: &[i64]) -> Vec<i64> {
        let mut values = self.values.clone();
        for (bundle, flow) in self.list.iter().zip(flow) {
            let more = i128::from(*flow) - i128::from(bundle.start);
            let (pieces, sign) = if more > 0 { (&bundle.ups, 1) } else { (&bundle.downs, -1) };
            let mut left = more.unsigned_abs();
            for group in pieces.chunk_by(|one, other| one.price == other.price) {
                if left == 0 {
                    break;
                }
                let rooms: Vec<u128> = group.iter().map(|piece| piece.length as u128).collect();
                for (piece, share) in group.iter().zip(even_shares(&rooms, &mut left)) {
                    values[piece.cell as usize] += sign * share as i64;
                }
            }
        }
        values
    }
}

impl Bundle {
    /// Sorts the pieces by price, leaves out what lies beyond one without end, and adds them up.
    fn merge(&mut self) {
        for pieces in [&mut self.ups, &mut self.downs] {
            pieces.sort_by_key(|piece| (piece.price, piece.cell));
            let endless = pieces.iter().position(|piece| piece.length > FAR / 2).map(|place| pieces[place].price);
            pieces.retain(|piece| endless.is_none_or(|price| piece.price <= price));
        }
        let (ups, downs) = (clipped(&self.ups), clipped(&self.downs));
        let length = |pieces: &[(i128, i64)]| pieces.iter().map(|(_, length)| length).sum::<i64>();
        (self.low, self.high) = (self.start - length(&downs), self.start + length(&ups));
        let downs = downs.into_iter().rev().map(|(price, length)| (-price, length));
        self.cost = Convex::from_pieces(self.low, downs.chain(ups));
    }
}

/// Prices and lengths, cut where they have no end.
fn clipped(pieces: &[Piece]) -> Vec<(i128, i64)> {
    let mut left = FAR;
    let cut = |piece: &Piece| {
        let length = piece.length.min(left);
        left -= length;
        (piece.price, length)
    };
    pieces.iter().map(cut).filter(|(_, length)| *length > 0).collect()
}

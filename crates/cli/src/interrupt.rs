//! What the program says when it is interrupted: what was spent, and where what was drawn is kept.

use congenial::{Spent, spent_now};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use std::io::Write;

/// What shells expect of a program that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

/// Replaces what an interruption does: the message first, then the end.
pub fn install() {
    // Without a handler the program ends all the same, without a word.
    let Ok(mut signals) = Signals::new([SIGINT]) else { return };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            // Nothing is left to tell when the error stream is closed.
            let _ = writeln!(std::io::stderr(), "\n{}", told(spent_now().as_ref()));
            std::process::exit(INTERRUPTED);
        }
    });
}

fn told(spent: Option<&Spent>) -> String {
    let Some(Spent { entry, charged, ledger, kept }) = spent else {
        return "interrupted: nothing was spent by this command, or all that was is completed".to_string();
    };
    if *entry == 0 {
        return format!(
            "interrupted while {charged} was being paid from the ledger `{ledger}`: whether it was is not known here\n\
             hint: the same command goes on if it was, and pays if not; congenial ledger recover --ledger '{ledger}' tells"
        );
    }
    let goes_on = match kept {
        Some(kept) => format!(
            "what was drawn is kept in `{}`: the same command goes on from there at no further loss",
            kept.display()
        ),
        None => format!(
            "the same command goes on: it draws the same table, and pays nothing; congenial ledger recover --ledger '{ledger}' lists it"
        ),
    };
    format!(
        "interrupted: entry {entry} of the ledger `{ledger}` has paid {charged}, which stays spent\nhint: {goes_on}"
    )
}

#[cfg(test)]
mod tests {
    use super::told;
    use congenial::Spent;
    use congenial::ledgers::Address;

    #[test]
    fn what_was_spent_is_said() {
        let ledger = Address::parse("sqlite:books.db").unwrap();
        let spent = Spent { entry: 7, charged: "ε = 1/4 per record".into(), ledger, kept: None };
        let text = told(Some(&spent));
        assert!(text.contains("entry 7 of the ledger `sqlite:books.db` has paid ε = 1/4 per record"), "{text}");
        assert!(text.contains("pays nothing") && text.contains("ledger recover"), "{text}");
        let text = told(Some(&Spent { entry: 0, ..spent.clone() }));
        assert!(text.contains("being paid") && text.contains("ledger recover"), "{text}");
        let text = told(Some(&Spent { kept: Some("kept/here".into()), ..spent }));
        assert!(text.contains("kept in `kept/here`"), "{text}");
        assert!(told(None).contains("nothing was spent"));
    }
}

//! The memory that a release, and reading the history, takes in a ledger of many entries:
//! `history [ENTRIES]`, 10,000 unless told otherwise. On Linux; the most memory is that which the
//! operating system counts.

use congenial::ledgers::{Address, Amount, Answer, Charge, Event, Ledger, NewDataset, Outcome, Request, Unit};
use congenial::{Format, Options, Paying, Problem, Quiet, release};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// A folder in memory, in which a long history is made quickly.
const MEMORY: &str = "/dev/shm";

/// Specs that differ in what they keep exact.
const MARGINS: [&str; 2] = ["county", "education"];

fn spec(folder: &Path, address: &Address, number: usize) -> Result<std::path::PathBuf, Problem> {
    let path = folder.join(format!("{number}.toml"));
    let text = format!(
        "title = \"{number}\"\n[data]\npath = \"data.csv\"\ncount = \"children\"\n\
         [dimensions]\ncounty = [\"Alpha\", \"Beta\", \"Gamma\"]\neducation = [\"Low\", \"High\"]\n\
         [[invariant]]\nby = [\"{}\"]\n[constraints]\nnonnegative = false\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/{}\"\nper = \"unit\"\n\
         [budget]\ndataset = \"children\"\nledger = \"{address}\"\n",
        MARGINS[number % MARGINS.len()],
        100 + number
    );
    fs::write(&path, text).map_err(|error| Problem::system(error.to_string()))?;
    Ok(path)
}

fn ann(folder: &Path, address: &Address, number: usize) -> Result<(), Problem> {
    let options = Options { paying: Paying { by: Some("ann".into()), ..Paying::default() }, ..Format::CSV.into() };
    release(&spec(folder, address, number)?, &folder.join(format!("release {number}")), options, &Quiet).map(drop)
}

/// What was paid for is paid for again, and again.
fn lengthen(ledger: &mut Ledger, entries: usize) -> Result<(), Problem> {
    let paid: Vec<Request> = ledger
        .history(Some("children"))?
        .into_iter()
        .filter_map(|entry| match entry.event {
            Event::Reserved { spec, law, place, loss, prints, details, .. } => Some(Request {
                dataset: entry.dataset,
                spec,
                law,
                place,
                loss,
                by: entry.by,
                prints,
                priced_by_totals: false,
                again: true,
                part: None,
                overrides: Vec::new(),
                details,
            }),
            _ => None,
        })
        .collect();
    for number in 0..entries / 2 {
        let Answer::Reserved(reservation) = ledger.reserve(&paid[number % paid.len()])? else { continue };
        let folder = format!("release {number}");
        ledger.complete(&reservation, &Outcome { certificate: "c0ffee".into(), table: "7ab1e".into(), folder })?;
    }
    Ok(())
}

/// The most memory since the last time, in kB.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    fs::write("/proc/self/clear_refs", "5").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench` when it runs this itself.
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let entries: usize = given.map_or(Ok(10_000), |entries| entries.parse())?;
    let folder = if Path::new(MEMORY).is_dir() { tempfile::tempdir_in(MEMORY)? } else { tempfile::tempdir()? };
    let folder = folder.path();
    fs::write(
        folder.join("data.csv"),
        "county,education,children\nAlpha,Low,15\nAlpha,High,4\nBeta,Low,17\nBeta,High,38\nGamma,Low,1\nGamma,High,24\n",
    )?;
    let address = Address::parse(&format!("sqlite:{}", folder.join("ledger.db").display()))?;
    let mut ledger = Ledger::create(&address, "ann")?;
    let budget = Charge { amount: Amount::Pure { epsilon: 1_000_000.into() }, per: Unit::L1 };
    let (name, by) = ("children".to_string(), "ann".to_string());
    ledger.open_dataset(&NewDataset { name, budget, approval: false, partition: None, by })?;
    (0..10).try_for_each(|number| ann(folder, &address, number))?;
    let show = |what: &str, began: Instant| {
        let most = most_memory().map_or("?".to_string(), |most| format!("{:.1}", most as f64 / 1024.0));
        println!("{what}: {:.2} s, at most {most} MiB", began.elapsed().as_secs_f64());
    };
    show("the first ten releases", Instant::now());
    let began = Instant::now();
    ann(folder, &address, 10)?;
    show("a release", began);
    let began = Instant::now();
    lengthen(&mut ledger, entries)?;
    show(&format!("{entries} entries made"), began);
    let began = Instant::now();
    ann(folder, &address, 11)?;
    show("a release", began);
    let (began, mut read) = (Instant::now(), 0);
    ledger.visit_history(Some("children"), 0, &mut |entry| {
        read += congenial::entry_text(&entry).len();
        Ok(())
    })?;
    show(&format!("the history, read ({read} bytes of text)"), began);
    let began = Instant::now();
    ledger.verify_chain()?;
    show("verify", began);
    let began = Instant::now();
    let history = ledger.history(Some("children"))?;
    show(&format!("{} entries in memory", history.len()), began);
    Ok(())
}

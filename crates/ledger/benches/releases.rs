//! Times `status` and `reserve` in a ledger of many releases: `releases [RELEASES] [ADDRESS]`, in a
//! new file unless told otherwise. `CONGENIAL_BENCH_DATASETS` says how many datasets it has, 10
//! unless told otherwise.

use declare::Problem;
use ledger::{Address, Amount, Answer, Charge, Ledger, NewDataset, Outcome, Request, Unit};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// How often each operation is timed.
const RUNS: usize = 50;

/// A folder in memory, in which a long history is made quickly.
const MEMORY: &str = "/dev/shm";

fn charge(epsilon: i64, parts: u32) -> Charge {
    Charge { amount: Amount::Pure { epsilon: exact::Rational::new(epsilon, parts) }, per: Unit::Record }
}

fn request(ledger: &Ledger, number: usize) -> Request {
    let mut fingerprint = ledger.fingerprint();
    fingerprint.row([b"the same data".as_slice()], 1);
    Request {
        dataset: format!("dataset {}", number % 10),
        spec: format!("spec {number}"),
        law: None,
        place: None,
        loss: charge(1, 1000),
        by: "ann".to_string(),
        prints: if number.is_multiple_of(10) { fingerprint.finish() } else { Vec::new() },
        priced_by_totals: false,
        again: false,
        overrides: Vec::new(),
        part: None,
        details: "a canonical spec of a usual length\n".repeat(20),
    }
}

fn reserve(ledger: &mut Ledger, number: usize) -> Result<(), Problem> {
    let request = request(ledger, number);
    let Answer::Reserved(reservation) = ledger.reserve(&request)? else { return Ok(()) };
    let outcome = Outcome { certificate: "c0ffee".into(), table: "7ab1e".into(), folder: format!("release-{number}") };
    ledger.complete(&reservation, &outcome).map(|_| ())
}

fn datasets() -> usize {
    std::env::var("CONGENIAL_BENCH_DATASETS").ok().and_then(|number| number.parse().ok()).unwrap_or(10)
}

fn history(address: &Address, releases: usize) -> Result<(), Problem> {
    let mut ledger = Ledger::create(address, "ann")?;
    for number in 0..datasets() {
        let name = format!("dataset {number}");
        ledger.open_dataset(&NewDataset {
            name,
            budget: charge(1000, 1),
            approval: false,
            partition: None,
            by: "ann".into(),
        })?;
    }
    (0..releases).try_for_each(|number| reserve(&mut ledger, number))
}

/// The middle and the longest of several times, in milliseconds.
fn timed(mut run: impl FnMut() -> Result<(), Problem>) -> Result<(f64, f64), Problem> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[RUNS / 2], times[RUNS - 1]))
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench` when it runs this itself.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let releases: usize = arguments.first().map_or(Ok(10_000), |releases| releases.parse())?;
    let folder = tempfile::tempdir()?;
    let address = match arguments.get(1) {
        Some(address) => Address::parse(address)?,
        None => {
            let memory = if Path::new(MEMORY).is_dir() { tempfile::tempdir_in(MEMORY)? } else { tempfile::tempdir()? };
            let (made, kept) = (memory.path().join("ledger.db"), folder.path().join("ledger.db"));
            history(&Address::parse(&format!("sqlite:{}", made.display()))?, releases)?;
            std::fs::copy(&made, &kept)?;
            std::fs::copy(made.with_extension("db.head"), kept.with_extension("db.head"))?;
            Address::parse(&format!("sqlite:{}", kept.display()))?
        }
    };
    if arguments.len() > 1 {
        history(&address, releases)?;
    }
    let mut ledger = Ledger::open(&address)?;
    let show = |what: &str, (middle, longest): (f64, f64)| {
        println!("{what}: {middle:.2} ms, at most {longest:.2} ms, with {releases} releases");
    };
    show("open", timed(|| Ledger::open(&address).map(|_| ()))?);
    show("dataset", timed(|| ledger.dataset("dataset 1").map(|_| ()))?);
    if datasets() <= 1000 {
        show("status", timed(|| ledger.status().map(|_| ()))?);
    }
    let mut next = releases;
    let requests: Vec<Request> = (0..RUNS).map(|number| request(&ledger, releases + number)).collect();
    let mut requests = requests.iter();
    show("reserve", timed(|| requests.next().map_or(Ok(()), |request| ledger.reserve(request).map(|_| ())))?);
    next += RUNS;
    show(
        "reserve and complete",
        timed(|| {
            next += 1;
            reserve(&mut ledger, next)
        })?,
    );
    let start = Instant::now();
    let verified = ledger.verify_chain()?;
    println!("verify_chain: {:.0} ms for {} entries", start.elapsed().as_secs_f64() * 1e3, verified.entries);
    Ok(())
}

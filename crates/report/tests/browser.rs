//! Pages in a browser: nothing is clipped at the widths of telephones and screens, nothing is
//! requested, no script is needed.
//!
//! Needs Debian's `chromium`; without it the tests say so and pass, unless
//! `CONGENIAL_TEST_BROWSER_REQUIRED` is set.

mod samples;

use declare::Values;
use samples::{Sample, labels, noisy};
use std::path::Path;
use std::process::Command;

/// Runs the browser on a page, with a profile of its own; what it prints.
fn browser(arguments: &[&str], page: &Path) -> Option<String> {
    let profile = tempfile::tempdir().expect("a profile");
    let run = Command::new("timeout")
        .args(["120", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .output();
    let required = std::env::var_os("CONGENIAL_TEST_BROWSER_REQUIRED").is_some();
    match run {
        Ok(run) if run.status.success() => Some(String::from_utf8_lossy(&run.stdout).into_owned()),
        Ok(run) if required => panic!("chromium failed: {}", String::from_utf8_lossy(&run.stderr)),
        Err(error) if required => panic!("chromium does not run: {error}"),
        // Where no browser is, and none is demanded, pages are not tried in one; `.ci/run` demands
        // one.
        _ => None,
    }
}

fn pages() -> Vec<(&'static str, Sample)> {
    let wide = vec![
        ("a dimension with a long name", labels(&["a long label of a row that must not be cut", "another"])),
        ("month", Values::Integers { first: 1, last: 36 }),
    ];
    vec![
        ("four by four", samples::four_by_four()),
        ("areas", samples::areas()),
        ("cube", samples::cube()),
        ("projected", samples::projected()),
        ("hierarchy", samples::hierarchy()),
        ("large", samples::large()),
        ("wide", Sample::new(wide, None, |cell| noisy(cell) * 1_000)),
    ]
}

/// What a script finds in a copy of the page without its policy: elements that stick out of the
/// window, or whose text does not fit them, unless they, or what they stand in, can be scrolled.
const MEASURE: &str = r#"<script>
addEventListener("load", () => {
  const open = () => document.querySelectorAll("details").forEach(details => details.open = true);
  const scrolls = element => {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX === "auto" || style.overflowX === "scroll") return true;
    }
    return false;
  };
  const clipped = () => [...document.body.querySelectorAll("*")].filter(element => {
    if (element.closest(".unseen, .chooser, svg") || scrolls(element)) return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1 || element.scrollWidth > element.clientWidth + 1 &&
      getComputedStyle(element).overflowX === "hidden");
  }).map(element => element.tagName + "." + element.className);
  const folded = clipped();
  open();
  const first = document.querySelector(".key").getBoundingClientRect();
  const result = { width: innerWidth, across: document.documentElement.scrollWidth, clipped: folded.concat(clipped()),
                   key: Math.round(first.bottom) };
  document.title = "measured " + JSON.stringify(result);
});
</script>"#;

#[test]
fn nothing_is_clipped_at_390_and_1280_pixels() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, sample) in pages() {
        let page = sample.page();
        let policy = page.find("<meta http-equiv").expect("a policy");
        let end = policy + page[policy..].find('>').expect("its end") + 1;
        let measured = format!("{}{}{}", &page[..policy], MEASURE, &page[end..]);
        let file = folder.path().join("page.html");
        std::fs::write(&file, measured).expect("a page");
        for width in [390, 1280] {
            // A window of a browser is not narrower than 500 pixels; a frame is.
            let frame = folder.path().join("frame.html");
            let text = format!(
                "<!DOCTYPE html><body style=\"margin:0\"><iframe src=\"page.html\" style=\"border:0;width:{width}px;height:800px\"></iframe>\
                 <script>addEventListener('load', () => {{ document.title = document.querySelector('iframe').contentDocument.title; }});\
                 </script>"
            );
            std::fs::write(&frame, text).expect("a frame");
            let arguments = [
                "--window-size=1400,900",
                "--allow-file-access-from-files",
                "--virtual-time-budget=5000",
                "--dump-dom",
            ];
            let Some(found) = browser(&arguments, &frame) else { return };
            let title = found.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
            let title = title.unwrap_or_else(|| panic!("{name} at {width}: nothing was measured: {found}"));
            assert!(title.contains(&format!("\"width\":{width},\"across\":{width},")), "{name} at {width}: {title}");
            assert!(title.contains("\"clipped\":[]"), "{name} at {width}: {title}");
            let key: u32 = title
                .split("\"key\":")
                .nth(1)
                .and_then(|rest| rest.trim_end_matches('}').parse().ok())
                .unwrap_or_else(|| panic!("{title}"));
            assert!(key <= 800, "{name} at {width}: the sentences end at {key}, below the first screen");
        }
    }
}

#[test]
fn nothing_is_requested_and_no_script_is_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, sample) in pages() {
        let file = folder.path().join("page.html");
        std::fs::write(&file, sample.page()).expect("a page");
        let log = folder.path().join("net.json");
        let logged = format!("--log-net-log={}", log.display());
        let Some(dom) = browser(&[&logged, "--dump-dom"], &file) else { return };
        assert!(!dom.contains("<script"), "{name}");
        for words in ["class=\"key\"", "Counts ", "Download", "The table", "In pictures"] {
            assert!(dom.contains(words), "{name}: {words}");
        }
        let picture = |more: &[&str]| {
            let file_name = folder.path().join("picture.png");
            let shot = format!("--screenshot={}", file_name.display());
            let arguments: Vec<&str> = [shot.as_str(), "--window-size=1280,1600"].iter().chain(more).copied().collect();
            browser(&arguments, &file).map(|_| std::fs::read(&file_name).expect("a picture"))
        };
        let (with, without) = (picture(&[]), picture(&["--blink-settings=scriptEnabled=false"]));
        assert!(with.as_ref().is_some_and(|bytes| bytes.len() > 10_000), "{name} is nearly empty");
        assert!(with == without, "{name} looks otherwise without scripts");
        let log = std::fs::read_to_string(&log).expect("a log of requests");
        let page = file.display().to_string();
        let asked: Vec<&str> = log
            .split("\"url\":\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|url| !url.contains(&page) && (url.starts_with("http") || url.starts_with("file")))
            // What the browser asks for of its own, whatever page it shows.
            .filter(|url| !url.contains("google") && !url.contains("gstatic"))
            .collect();
        assert!(asked.is_empty(), "{name} asks for {asked:?}");
    }
}

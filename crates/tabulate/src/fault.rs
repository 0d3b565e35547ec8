//! `Fault`: what is wrong with a row, before it is known on which line the row stands.

/// What stands under a field that is not UTF-8.
pub(crate) const NOT_UTF8: &str = "not UTF-8";

/// What is wrong with a row.
pub(crate) struct Fault {
    /// What happened, in one sentence without a final full stop.
    pub message: String,
    /// The field to point at; `None`: the whole row.
    pub field: Option<usize>,
    /// What stands there, in a few words.
    pub label: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The place of an earlier row that the message refers to, over all files.
    pub earlier: Option<u64>,
}

impl Fault {
    /// A fault of a whole row.
    pub fn new(message: impl Into<String>, label: impl Into<String>) -> Box<Self> {
        Box::new(Fault { message: message.into(), field: None, label: label.into(), hint: None, earlier: None })
    }

    /// The fault of a field that is not UTF-8.
    pub fn not_text(bytes: &[u8], field: usize) -> Box<Self> {
        let hint = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            "the file looks like UTF-16; save it as UTF-8"
        } else {
            "if it is in Latin-1 or Windows-1252, write encoding = \"windows-1252\" in [data]; or save the file as UTF-8"
        };
        let found = quoted(&String::from_utf8_lossy(bytes));
        Fault::new(format!("{found} is not valid UTF-8"), NOT_UTF8).at(field).hint(hint)
    }

    /// Points it at a field.
    pub fn at(mut self: Box<Self>, field: usize) -> Box<Self> {
        self.field = Some(field);
        self
    }

    /// Adds a hint on what to do next.
    pub fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }
}

/// A value of the file as messages quote it: on one line and of bounded length.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text))
}

/// A value of the file on one line and of bounded length.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).map(|c| if is_unseen(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Whether a letter would be lost on a screen, or harm it: control characters and byte order marks.
pub(crate) fn is_unseen(letter: char) -> bool {
    letter.is_control() || letter == '\u{feff}'
}

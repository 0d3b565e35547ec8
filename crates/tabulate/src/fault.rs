//! `Fault`: what is wrong with a row, before it is known on which line the row stands.

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
    /// The byte at which an earlier row starts that the message refers to, and how to refer to it.
    pub earlier: Option<u64>,
}

impl Fault {
    /// A fault of a whole row.
    pub fn new(message: impl Into<String>, label: impl Into<String>) -> Box<Self> {
        Box::new(Fault { message: message.into(), field: None, label: label.into(), hint: None, earlier: None })
    }

    /// The same fault, pointed at a field.
    pub fn at(mut self: Box<Self>, field: usize) -> Box<Self> {
        self.field = Some(field);
        self
    }

    /// The same fault with a hint on what to do next.
    pub fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    /// The same fault, which repeats the row that starts at this byte.
    pub fn repeats(mut self: Box<Self>, byte: u64) -> Box<Self> {
        self.earlier = Some(byte);
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
    let mut shown: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

//! From the text of a predicate to an `Expression` and the positions of its names and values.

use super::{Comparison, Expression, Fault, Literal};
use std::ops::Range;

/// The deepest nesting of parentheses and `not`: more is a mistake or an attack on the stack.
const MOST_NESTING: usize = 64;

/// The most comparisons in one predicate, for the same reason. Lists after `in` may be longer.
const MOST_COMPARISONS: usize = 500;

/// Where the names and values of a predicate stand in its text, comparison by comparison from left
/// to right.
pub(crate) type Positions = Vec<ComparisonPosition>;

/// Where one comparison stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComparisonPosition {
    pub(crate) name: Range<usize>,
    pub(crate) op: Range<usize>,
    pub(crate) values: Vec<Range<usize>>,
}

impl ComparisonPosition {
    pub(super) fn value(&self, position: usize) -> Range<usize> {
        self.values.get(position).cloned().unwrap_or(0..0)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Value(Literal),
    Op(Comparison),
    Open,
    Close,
    Comma,
    End,
}

const KEYWORDS: [&str; 4] = ["and", "or", "not", "in"];

fn starts_word(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn continues_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

/// Whether a name can be written without backquotes.
pub(super) fn is_word(name: &str) -> bool {
    name.starts_with(starts_word)
        && name.chars().all(continues_word)
        && !KEYWORDS.iter().any(|keyword| name.eq_ignore_ascii_case(keyword))
}

/// Reads a predicate.
pub(crate) fn parse(text: &str) -> Result<(Expression, Positions), Fault> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, positions: Positions::default() };
    let expression = parser.or(0)?;
    let (token, span) = parser.peek();
    match token {
        Token::End => Ok((expression, parser.positions)),
        _ => Err(Fault::new(span, "the predicate goes on after its end", "expected `and`, `or` or the end here")),
    }
}

fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Fault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = match letter {
            _ if letter.is_whitespace() => {
                at += letter.len_utf8();
                continue;
            }
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ',' => (Token::Comma, 1),
            '\'' | '"' => {
                let (text, length) = quoted(rest, letter, at)?;
                (Token::Value(Literal::Text(text)), length)
            }
            '`' => {
                let (name, length) = quoted(rest, letter, at)?;
                (Token::Quoted(name), length)
            }
            '-' | '0'..='9' => number(rest, at)?,
            _ if starts_word(letter) => {
                let length = rest.find(|c| !continues_word(c)).unwrap_or(rest.len());
                (Token::Word(rest[..length].to_string()), length)
            }
            _ => operator(rest, letter, at)?,
        };
        tokens.push((token, at..at + length));
        at += length;
    }
    tokens.push((Token::End, text.len()..text.len()));
    Ok(tokens)
}

fn operator(rest: &str, letter: char, at: usize) -> Result<(Token, usize), Fault> {
    for (written, meant) in [("==", "="), ("<>", "!="), ("&&", "and"), ("||", "or")] {
        if rest.starts_with(written) {
            let message = format!("`{written}` is not an operator of predicates");
            return Err(Fault::new(at..at + 2, message, "not an operator").hint(format!("write `{meant}`")));
        }
    }
    if let Some((written, op)) = Comparison::WRITTEN.iter().find(|(written, _)| rest.starts_with(written)) {
        return Ok((Token::Op(*op), written.len()));
    }
    let span = at..at + letter.len_utf8();
    let fault = Fault::new(span, format!("`{}` has no meaning in a predicate", letter.escape_debug()), "unexpected");
    Err(if letter == '!' { fault.hint("write `not` or `!=`") } else { fault })
}

/// The text between quotes at the start of `rest`, and the length it takes there.
fn quoted(rest: &str, quote: char, at: usize) -> Result<(String, usize), Fault> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((position, letter)) = letters.next() {
        if letter != quote {
            text.push(letter);
        } else if letters.next_if(|(_, next)| *next == quote).is_some() {
            text.push(quote);
        } else {
            return Ok((text, position + 1));
        }
    }
    let message = format!("the quote {quote} is never closed");
    Err(Fault::new(at..at + 1, message, "opened here"))
}

fn number(rest: &str, at: usize) -> Result<(Token, usize), Fault> {
    let sign = usize::from(rest.starts_with('-'));
    let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let length = sign + digits;
    let whole = rest[length..].find(|c| !continues_word(c)).map_or(rest.len(), |end| length + end);
    let written = &rest[..whole];
    if digits == 0 || whole != length {
        let message = format!("`{written}` is not an integer");
        let hint = "predicates compare with integers and with quoted text; a name that starts \
                    with a digit goes in `backquotes`";
        return Err(Fault::new(at..at + whole, message, "not an integer").hint(hint));
    }
    let value = written.parse::<i64>().map_err(|_| {
        let message = format!("`{written}` is too large");
        Fault::new(at..at + whole, message, "beyond 64 bits")
    })?;
    Ok((Token::Value(Literal::Integer(value)), length))
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    positions: Positions,
}

impl Parser {
    fn peek(&self) -> (&Token, Range<usize>) {
        // The last token is the end, and nothing steps over it.
        let (token, span) = &self.tokens[self.at.min(self.tokens.len() - 1)];
        (token, span.clone())
    }

    fn take(&mut self) -> (Token, Range<usize>) {
        let (token, span) = self.peek();
        let taken = (token.clone(), span);
        self.at += 1;
        taken
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        self.at += usize::from(found);
        found
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek().0, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    fn or(&mut self, depth: usize) -> Result<Expression, Fault> {
        let mut left = self.and(depth)?;
        while self.take_keyword("or") {
            left = Expression::Or(Box::new(left), Box::new(self.and(depth)?));
        }
        Ok(left)
    }

    fn and(&mut self, depth: usize) -> Result<Expression, Fault> {
        let mut left = self.not(depth)?;
        while self.take_keyword("and") {
            left = Expression::And(Box::new(left), Box::new(self.not(depth)?));
        }
        Ok(left)
    }

    fn not(&mut self, depth: usize) -> Result<Expression, Fault> {
        if depth > MOST_NESTING {
            let message = format!("the predicate is nested more than {MOST_NESTING} deep");
            return Err(Fault::new(self.peek().1, message, "too deep"));
        }
        if self.take_keyword("not") {
            return Ok(Expression::Not(Box::new(self.not(depth + 1)?)));
        }
        if *self.peek().0 == Token::Open {
            let (_, open) = self.take();
            let inner = self.or(depth + 1)?;
            let (token, span) = self.take();
            return match token {
                Token::Close => Ok(inner),
                Token::End => Err(Fault::new(open, "a parenthesis is never closed", "opened here")),
                _ => Err(Fault::new(span, "a parenthesis is not closed", "expected `and`, `or` or `)` here")),
            };
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Expression, Fault> {
        let (name, name_span) = self.name()?;
        if self.positions.len() == MOST_COMPARISONS {
            let message = format!("the predicate has more than {MOST_COMPARISONS} comparisons");
            return Err(
                Fault::new(name_span, message, "one too many").hint("compare with many values at once: `name in (…)`")
            );
        }
        let (token, op) = self.take();
        let is = |keyword: &str| matches!(&token, Token::Word(word) if word.eq_ignore_ascii_case(keyword));
        let negated = is("not");
        let is_in = negated || is("in");
        if let Token::Op(comparison) = token {
            let (value, span) = self.value()?;
            self.positions.push(ComparisonPosition { name: name_span, op, values: vec![span] });
            return Ok(Expression::Compare { name, op: comparison, value });
        }
        if !is_in || (negated && !self.take_keyword("in")) {
            return Err(Fault::new(
                op,
                format!("`{name}` is not compared with anything"),
                "expected =, !=, <, <=, >, >= or `in` here",
            ));
        }
        let (values, spans) = self.values()?;
        self.positions.push(ComparisonPosition { name: name_span, op, values: spans });
        let expression = Expression::In { name, values };
        Ok(if negated { Expression::Not(Box::new(expression)) } else { expression })
    }

    fn name(&mut self) -> Result<(String, Range<usize>), Fault> {
        match self.take() {
            (Token::Quoted(name), span) => Ok((name, span)),
            (Token::Word(word), span) if is_word(&word) => Ok((word, span)),
            (Token::Word(word), span) => {
                let message = format!("a comparison is missing before `{word}`");
                Err(Fault::new(span, message, "expected a name here")
                    .hint(format!("a dimension called {word} is written in backquotes: `{word}`")))
            }
            (Token::Value(_), span) => Err(Fault::new(span, "a comparison starts with a name", "a value, not a name")
                .hint("write `age >= 18`, not `18 <= age`")),
            (Token::End, span) if self.at == 1 => {
                Err(Fault::new(span, "the predicate is empty", "expected a comparison here"))
            }
            (_, span) => Err(Fault::new(span, "a comparison is missing", "expected a name here")),
        }
    }

    fn value(&mut self) -> Result<(Literal, Range<usize>), Fault> {
        match self.take() {
            (Token::Value(value), span) => Ok((value, span)),
            (Token::Word(word) | Token::Quoted(word), span) => {
                let message = format!("`{word}` is a name where a value is expected");
                Err(Fault::new(span, message, "not a value")
                    .hint(format!("put text in quotes: '{}'", word.replace('\'', "''"))))
            }
            (_, span) => Err(Fault::new(span, "a value is missing", "expected an integer or quoted text here")),
        }
    }

    fn values(&mut self) -> Result<(Vec<Literal>, Vec<Range<usize>>), Fault> {
        let (token, span) = self.take();
        if token != Token::Open {
            return Err(Fault::new(span, "`in` is followed by values in parentheses", "expected `(` here"));
        }
        let mut values = Vec::new();
        let mut spans = Vec::new();
        loop {
            let (value, span) = self.value()?;
            values.push(value);
            spans.push(span);
            match self.take() {
                (Token::Comma, _) => {}
                (Token::Close, _) => return Ok((values, spans)),
                (_, span) => {
                    return Err(Fault::new(span, "the list of values is not closed", "expected `,` or `)` here"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicate::resolve;
    use crate::schema::{Dimension, Schema, Values};

    #[test]
    fn the_largest_predicate_is_read_resolved_and_written() {
        let values = Values::Integers { first: 0, last: 9 };
        let dimension = |name: &str| Dimension {
            name: name.into(),
            column: name.into(),
            values: values.clone(),
            cleaning: Default::default(),
        };
        let schema = Schema { dimensions: vec![dimension("a"), dimension("b")] };
        let chain = vec!["a = 1 or b = 2"; MOST_COMPARISONS / 2].join(" or ");
        let text = format!("{}{chain}{}", "not (".repeat(MOST_NESTING / 2), ")".repeat(MOST_NESTING / 2));
        let (expression, positions) = parse(&text).unwrap();
        assert_eq!(parse(&expression.to_string()).unwrap().0, expression);
        let resolved = resolve(&expression, &positions, &schema).unwrap();
        assert!(resolved.holds(&[1, 0]));
        assert!(!resolved.holds(&[0, 0]));
        assert_eq!(resolved.truth(&[1]), Some(true));
        assert_eq!(resolved.truth(&[0]), None);
    }

    #[test]
    fn words_of_the_grammar_may_be_written_in_capitals_and_names_in_backquotes() {
        let (expression, _) = parse("NOT `in` IN (\"x\", 'it''s') AND a_b-c.d = -3").unwrap();
        assert_eq!(expression.to_string(), "`in` not in ('x', 'it''s') and a_b-c.d = -3");
    }
}

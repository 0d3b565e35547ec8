//! Random bits: where they come from and how many a lazy draw reveals at a time.
//!
//! A sampler is a function of an infinite string of uniform bits. [`Entropy`] hands the string out; how many bits a lazy
//! comparison reveals at a time (its *stride*) changes which bits are left over, never the law of the result. Machines
//! use a stride of 64, tests replay a [`Tape`] bit by bit through the very same code.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::fmt;

/// A stream of independent uniform bits.
pub trait Entropy {
    /// `count` uniform bits, at most 64, in the low positions.
    fn bits(&mut self, count: u32) -> u64;

    /// How many bits a lazy comparison reveals at a time.
    fn stride(&self) -> u32 {
        64
    }
}

/// Independent streams of random bits, one per task, so that draws can run in parallel.
pub trait Source: Sync {
    /// The streams it gives.
    type Stream: Entropy;

    /// The stream of this task. Different tasks get independent streams.
    fn stream(&self, task: u64) -> Result<Self::Stream, NoEntropy>;
}

/// The operating system gave no random bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoEntropy(String);

impl fmt::Display for NoEntropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the operating system gave no random bits: {}", self.0)
    }
}

impl std::error::Error for NoEntropy {}

/// The operating system's generator, buffered through ChaCha20: the only certifiable source.
///
/// Every stream is keyed afresh with 256 bits of the operating system, so streams are independent and the generator is
/// re-keyed as often as tasks change. It cannot be cloned or seeded.
#[derive(Debug, Default)]
pub struct SystemEntropy(());

impl SystemEntropy {
    /// The operating system's generator.
    pub fn new() -> Self {
        SystemEntropy(())
    }
}

/// A stream of [`SystemEntropy`].
pub struct SystemStream(ChaCha20Rng);

impl Source for SystemEntropy {
    type Stream = SystemStream;

    fn stream(&self, _task: u64) -> Result<SystemStream, NoEntropy> {
        let mut key = [0u8; 32];
        getrandom::fill(&mut key).map_err(|error| NoEntropy(error.to_string()))?;
        let stream = SystemStream(ChaCha20Rng::from_seed(key));
        key.fill(0);
        Ok(stream)
    }
}

impl Entropy for SystemStream {
    #[inline]
    fn bits(&mut self, count: u32) -> u64 {
        high_bits(&mut self.0, count)
    }
}

impl fmt::Debug for SystemStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SystemStream(key withheld)")
    }
}

/// Reproducible bits from a seed, for tests and simulations on public data; never certifiable.
#[derive(Debug, Clone)]
pub struct Seeded {
    key: [u8; 32],
}

impl Seeded {
    /// The source of the first draw with this seed.
    pub fn new(seed: u64) -> Self {
        Self::draw(seed, 0)
    }

    /// The source of the given draw with this seed: draws are independent of each other.
    pub fn draw(seed: u64, draw: u64) -> Self {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&draw.to_le_bytes());
        key[16..].copy_from_slice(b"congenial seeded");
        Seeded { key }
    }
}

/// A stream of [`Seeded`] bits.
#[derive(Debug, Clone)]
pub struct SeededStream {
    generator: ChaCha20Rng,
    stride: u32,
}

impl SeededStream {
    /// The same generator, whose lazy comparisons reveal `stride` bits at a time (1 to 64).
    pub fn with_stride(mut self, stride: u32) -> Self {
        self.stride = stride.clamp(1, 64);
        self
    }
}

impl Source for Seeded {
    type Stream = SeededStream;

    fn stream(&self, task: u64) -> Result<SeededStream, NoEntropy> {
        let mut generator = ChaCha20Rng::from_seed(self.key);
        generator.set_stream(task);
        Ok(SeededStream { generator, stride: 64 })
    }
}

impl Entropy for SeededStream {
    #[inline]
    fn bits(&mut self, count: u32) -> u64 {
        high_bits(&mut self.generator, count)
    }

    #[inline]
    fn stride(&self) -> u32 {
        self.stride
    }
}

#[inline]
fn high_bits(generator: &mut ChaCha20Rng, count: u32) -> u64 {
    match count {
        0 => 0,
        1..=32 => u64::from(generator.next_u32()) >> (32 - count),
        _ => generator.next_u64() >> (64 - count),
    }
}

/// A finite tape of bits, replayed bit by bit; never certifiable.
///
/// A run that asks for more bits than the tape holds goes on with arbitrary bits, so that it ends, and is marked
/// [`exhausted`](Tape::exhausted): its result means nothing.
#[derive(Debug, Clone)]
pub struct Tape {
    bits: u64,
    length: u32,
    position: u32,
    spill: u64,
}

impl Tape {
    /// The tape whose first bit is the highest of the `length` low bits.
    pub fn new(bits: u64, length: u32) -> Self {
        assert!(length <= 64, "a tape holds at most 64 bits");
        Tape { bits, length, position: 0, spill: 0x9E37_79B9_7F4A_7C15 }
    }

    /// How many bits were asked for.
    pub fn used(&self) -> u32 {
        self.position
    }

    /// Whether more bits were asked for than the tape holds.
    pub fn exhausted(&self) -> bool {
        self.position > self.length
    }

    fn bit(&mut self) -> u64 {
        self.position = self.position.saturating_add(1);
        if self.position <= self.length {
            (self.bits >> (self.length - self.position)) & 1
        } else {
            self.spill ^= self.spill << 13;
            self.spill ^= self.spill >> 7;
            self.spill ^= self.spill << 17;
            (self.spill >> 32) & 1
        }
    }
}

impl Entropy for Tape {
    fn bits(&mut self, count: u32) -> u64 {
        (0..count).fold(0, |word, _| (word << 1) | self.bit())
    }

    fn stride(&self) -> u32 {
        1
    }
}

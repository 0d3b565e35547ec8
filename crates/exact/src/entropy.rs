//! Random bits: where they come from and how many a lazy draw reveals at a time.
//!
//! A sampler is a function of an infinite string of uniform bits. [`Entropy`] hands the string out;
//! how many bits a lazy comparison reveals at a time (its *stride*) changes which bits are left
//! over, never the law of the result. Machines use a stride of 64, tests replay a [`Tape`] bit by
//! bit through the very same code.

use crate::attention::look;
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
///
/// Where bits come from is a matter of the source's type. All sources hand out the same [`Stream`],
/// so that what draws can be chosen at run time while its loops are compiled for one kind of
/// stream.
pub trait Source: Sync {
    /// The stream of this task. Different tasks get independent streams.
    fn stream(&self, task: u64) -> Result<Stream, NoEntropy>;
}

/// A stream of ChaCha20 bits under the key that its [`Source`] chose. It cannot be cloned: bits are
/// used once.
pub struct Stream {
    generator: ChaCha20Rng,
    stride: u32,
    /// So many more calls, and there is a look whether the work is to stop.
    looks_after: u32,
}

/// A look after so many calls of a stream: some hundred microseconds.
const CALLS_UNSEEN: u32 = 1 << 14;

impl Stream {
    fn new(generator: ChaCha20Rng) -> Self {
        Stream { generator, stride: 64, looks_after: 1 }
    }

    /// A generator whose lazy comparisons reveal `stride` bits at a time (1 to 64).
    pub fn with_stride(mut self, stride: u32) -> Self {
        self.stride = stride.clamp(1, 64);
        self
    }

    #[cold]
    fn look(&mut self) {
        self.looks_after = CALLS_UNSEEN;
        look();
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(key withheld)")
    }
}

impl Entropy for Stream {
    #[inline]
    fn bits(&mut self, count: u32) -> u64 {
        self.looks_after -= 1;
        if self.looks_after == 0 {
            self.look();
        }
        match count {
            0 => 0,
            1..=32 => u64::from(self.generator.next_u32()) >> (32 - count),
            _ => self.generator.next_u64() >> (64 - count),
        }
    }

    #[inline]
    fn stride(&self) -> u32 {
        self.stride
    }
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
/// Every stream is keyed afresh with 256 bits of the operating system, so streams are independent
/// and the generator is re-keyed as often as tasks change. It cannot be cloned or seeded.
///
/// What is mixed in is added to the key, bit by bit: a key that was uniform stays so whatever is
/// added, and machines that were cloned with the state of their generator have different keys where
/// they mix in different things.
///
/// Bits that were paid for can be had once more, and no others: [`SystemEntropy::remembering`]
/// takes every key from a [`SystemSeed`], 256 bits of the operating system that were kept.
///
/// There is no way to have it in passing: whoever names it says whose data are drawn. In a release
/// that is a right to draw, which is public data or a paid entry of a ledger; simulations and
/// measurements take [`FreshEntropy`], whose draws nobody certifies.
///
/// ```compile_fail
/// let source = exact::SystemEntropy::default();
/// ```
pub struct SystemEntropy {
    mixed: Option<[u8; 32]>,
    seed: Option<SystemSeed>,
}

/// The stream of a task under a key.
fn generator(key: [u8; 32], task: u64) -> ChaCha20Rng {
    let mut generator = ChaCha20Rng::from_seed(key);
    generator.set_stream(task);
    generator
}

/// 256 bits of the operating system, from which all streams of one draw are made: whoever keeps it
/// keeps the draw.
///
/// Secret as long as what was drawn is: with the release it tells the noise.
pub struct SystemSeed([u8; 32]);

impl SystemSeed {
    /// Fresh bits of the operating system.
    pub fn fresh() -> Result<Self, NoEntropy> {
        let mut seed = SystemSeed([0u8; 32]);
        getrandom::fill(&mut seed.0).map_err(|error| NoEntropy(error.to_string()))?;
        Ok(seed)
    }

    /// The bits, for whoever keeps them under encryption.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Bits that were kept. The caller has made sure that [`SystemSeed::bytes`] gave them: by
    /// authenticated encryption.
    pub fn kept(bytes: [u8; 32]) -> Self {
        SystemSeed(bytes)
    }
}

impl Drop for SystemSeed {
    fn drop(&mut self) {
        self.0.fill(0);
        std::hint::black_box(&self.0);
    }
}

impl fmt::Debug for SystemSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SystemSeed(withheld)")
    }
}

impl SystemEntropy {
    /// The operating system's generator, for data that are declared public: nothing is paid, and
    /// nothing need be drawn again.
    pub fn of_public_data() -> Self {
        SystemEntropy { mixed: None, seed: None }
    }

    /// The streams of a seed, with 32 bytes mixed into every key: the same seed and bytes give the
    /// same streams.
    pub fn remembering(seed: SystemSeed, bytes: [u8; 32]) -> Self {
        SystemEntropy { mixed: Some(bytes), seed: Some(seed) }
    }

    /// 256 bits for the stream of a task: of the operating system, or of the seed.
    fn fresh(&self, task: u64) -> Result<[u8; 32], NoEntropy> {
        let mut key = [0u8; 32];
        match &self.seed {
            None => getrandom::fill(&mut key).map_err(|error| NoEntropy(error.to_string()))?,
            Some(seed) => generator(seed.0, task).fill_bytes(&mut key),
        }
        Ok(key)
    }

    /// The key of a stream, given the bits of the operating system.
    fn key(&self, task: u64, mut key: [u8; 32]) -> [u8; 32] {
        if let Some(mixed) = self.mixed {
            let mut added = [0u8; 32];
            generator(mixed, task).fill_bytes(&mut added);
            key.iter_mut().zip(added).for_each(|(byte, added)| *byte ^= added);
        }
        key
    }
}

impl fmt::Debug for SystemEntropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SystemEntropy")
    }
}

impl Source for SystemEntropy {
    fn stream(&self, task: u64) -> Result<Stream, NoEntropy> {
        let mut key = self.key(task, self.fresh(task)?);
        let stream = Stream::new(ChaCha20Rng::from_seed(key));
        key.fill(0);
        Ok(stream)
    }
}

/// Fresh bits of the operating system for simulations and measurements; never certifiable.
#[derive(Debug, Clone, Copy, Default)]
pub struct FreshEntropy;

impl Source for FreshEntropy {
    fn stream(&self, task: u64) -> Result<Stream, NoEntropy> {
        SystemEntropy::of_public_data().stream(task)
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

impl Source for Seeded {
    fn stream(&self, task: u64) -> Result<Stream, NoEntropy> {
        Ok(Stream::new(generator(self.key, task)))
    }
}

/// A finite tape of bits, replayed bit by bit; never certifiable.
///
/// A run that asks for more bits than the tape holds goes on with arbitrary bits, so that it ends,
/// and is marked [`exhausted`](Tape::exhausted): its result means nothing.
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

#[cfg(test)]
mod tests {
    use super::{Entropy, Source, SystemEntropy, SystemSeed};

    #[test]
    fn a_seed_that_was_kept_gives_its_streams_again() {
        let seed = SystemSeed::fresh().unwrap();
        let bits = |seed: &SystemSeed, mixed: [u8; 32], task: u64| {
            let again = SystemSeed::kept(*seed.bytes());
            SystemEntropy::remembering(again, mixed).stream(task).unwrap().bits(64)
        };
        assert_eq!(bits(&seed, [1; 32], 5), bits(&seed, [1; 32], 5));
        assert_ne!(bits(&seed, [1; 32], 5), bits(&seed, [1; 32], 6), "tasks are told apart");
        assert_ne!(bits(&seed, [1; 32], 5), bits(&seed, [2; 32], 5), "and entries");
        assert_ne!(bits(&seed, [1; 32], 5), bits(&SystemSeed::fresh().unwrap(), [1; 32], 5), "and seeds");
    }

    #[test]
    fn machines_with_the_same_state_have_other_keys_where_they_mix_in_other_things() {
        // What a generator that was cloned with its machine gives on both.
        let system = [7u8; 32];
        let mixing = |bytes| SystemEntropy { mixed: Some(bytes), seed: None };
        let (one, other) = (mixing([1; 32]), mixing([2; 32]));
        assert_ne!(one.key(0, system), other.key(0, system));
        assert_ne!(one.key(0, system), one.key(1, system), "tasks are told apart too");
        assert_eq!(SystemEntropy::of_public_data().key(5, system), system);
        // Adding is a bijection of keys: what was uniform stays uniform.
        let difference =
            |key: &[u8; 32]| -> Vec<u8> { key.iter().zip(system).map(|(one, other)| one ^ other).collect() };
        let zero = one.key(3, [0; 32]);
        assert_eq!(difference(&one.key(3, system)), zero);
    }
}

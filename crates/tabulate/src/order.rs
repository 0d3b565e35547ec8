//! Workers take the pieces of a file one after another; what they make of them is consumed in the
//! order of the file.

use crate::batch::Batch;
use crate::file::{DataFile, NextPiece, Pieces, Worker};
use crate::judge::Judge;
use declare::Problem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many batches of one piece may wait while an earlier piece is consumed.
const WAITING_BATCHES: usize = 16;

/// Takes batches, in the order of the file.
type Consumer<'a> = dyn FnMut(Batch) -> Result<(), Problem> + 'a;

/// Turns the whole file to batches and hands them to `consume`, in the order of the file.
///
/// The number of threads is Rayon's. Batches in flight, and so the memory, are bounded by it and
/// not by the file.
pub(crate) fn in_order(file: &dyn DataFile, judge: &Judge<'_>, consume: &mut Consumer<'_>) -> Result<(), Problem> {
    let pieces = file.pieces()?;
    let threads = rayon::current_num_threads().min(pieces.worth);
    if threads > 1 { together(pieces, judge, threads, consume) } else { alone(pieces, judge, consume) }
}

fn alone(pieces: Pieces<'_>, judge: &Judge<'_>, consume: &mut Consumer<'_>) -> Result<(), Problem> {
    let mut worker = Worker::default();
    for piece in pieces.rest {
        let mut result = Ok(());
        piece?.work(judge, &mut worker, &mut |batch| {
            result = consume(batch);
            result.is_ok()
        });
        result?;
    }
    Ok(())
}

fn together(pieces: Pieces<'_>, judge: &Judge<'_>, threads: usize, consume: &mut Consumer<'_>) -> Result<(), Problem> {
    let (order, ordered) = sync_channel::<Receiver<Batch>>(threads);
    let source = Mutex::new(Queue { pieces, order: Some(order) });
    let take = || source.lock().unwrap_or_else(PoisonError::into_inner).take();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut worker = Worker::default();
                    while let Some((piece, batches)) = take() {
                        match piece {
                            Ok(piece) => {
                                piece.work(judge, &mut worker, &mut |batch| batches.send(batch).is_ok());
                            }
                            // Nobody listens when an earlier row was wrong.
                            Err(problem) => drop(batches.send(Batch::stopped(problem))),
                        }
                    }
                })
            })
            .collect();
        let mut result = Ok(());
        while let (Ok(()), Ok(batches)) = (&result, ordered.recv()) {
            result = batches.into_iter().try_for_each(&mut *consume);
        }
        // Workers that still wait to send learn that nobody listens.
        drop(ordered);
        for worker in workers {
            if let Err(panic) = worker.join() {
                resume_unwind(panic);
            }
        }
        result
    })
}

/// Where the workers take pieces from.
struct Queue<'a> {
    pieces: Pieces<'a>,
    /// The places to read batches from, in the order of the file; `None` when nothing is left to
    /// take.
    order: Option<SyncSender<Receiver<Batch>>>,
}

impl<'a> Queue<'a> {
    /// The next piece, with the place to send its batches to, which stands in the order already.
    fn take(&mut self) -> Option<(NextPiece<'a>, SyncSender<Batch>)> {
        let order = self.order.take()?;
        let piece = self.pieces.rest.next()?;
        let (batches, receiver) = sync_channel(WAITING_BATCHES);
        order.send(receiver).ok()?;
        // After the end, a problem or a consumer that has stopped there is nothing left to take.
        self.order = piece.is_ok().then_some(order);
        Some((piece, batches))
    }
}

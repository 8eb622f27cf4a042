//! Streams of tables between the walk, which blocks a thread, and the channel.

use tokio::sync::mpsc;

/// Bytes that the walk writes or reads at a time.
pub(super) const PIECE: usize = 1 << 18;

/// Maximum number of waiting pieces.
const WAITING: usize = 4;

/// Both ends of a stream of pieces.
pub(super) fn pieces() -> (mpsc::Sender<Vec<u8>>, mpsc::Receiver<Vec<u8>>) {
    mpsc::channel(WAITING)
}

/// Where the garbler's walk writes tables.
pub(super) struct TableSink {
    piece: Vec<u8>,
    to: mpsc::Sender<Vec<u8>>,
}

impl TableSink {
    pub fn new(to: mpsc::Sender<Vec<u8>>) -> TableSink {
        TableSink { piece: Vec::with_capacity(PIECE), to }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        if self.piece.len() + bytes.len() > PIECE {
            self.flush();
        }
        self.piece.extend_from_slice(bytes);
    }

    /// Passes on the remaining bytes. If nobody receives them, the channel at the other end has failed and reports it.
    pub fn flush(&mut self) {
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        drop(self.to.blocking_send(piece));
    }
}

/// Where the evaluator's walk reads tables. After the channel has failed, it reads zeros; nobody sees the results.
pub(super) struct TableSource {
    piece: Vec<u8>,
    at: usize,
    from: mpsc::Receiver<Vec<u8>>,
}

impl TableSource {
    pub fn new(from: mpsc::Receiver<Vec<u8>>) -> TableSource {
        TableSource { piece: Vec::new(), at: 0, from }
    }

    pub fn read<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let mut filled = 0;
        while filled < N {
            if self.at == self.piece.len() {
                let Some(piece) = self.from.blocking_recv() else { return [0; N] };
                (self.piece, self.at) = (piece, 0);
            }
            let n = (N - filled).min(self.piece.len() - self.at);
            bytes[filled..filled + n].copy_from_slice(&self.piece[self.at..self.at + n]);
            (filled, self.at) = (filled + n, self.at + n);
        }
        bytes
    }
}

//! Recordings: JSON files with one update per line.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::error::{Error, Result};
use super::update::Update;
use crate::disk::{private, regular};
use crate::error::Io;

/// A writer of a recording.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Recorder {
    /// Creates the file, or opens it if it is empty: a recording never overwrites another one. Only
    /// the user can read it, because it holds every object that the operator sees.
    ///
    /// # Errors
    /// Returns an error if the file is not empty or cannot be created.
    pub fn create(path: &Path) -> Result<Self> {
        let file = private::append(path)?;
        let length = file.metadata().map_err(Io::on("read", path))?.len();
        if length > 0 {
            return Err(Error::Exists {
                path: path.to_owned(),
            });
        }
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::new(file),
        })
    }

    /// Appends an update.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&mut self, update: &Update) -> Result<()> {
        let mut line = serde_json::to_string(update).expect("an update is JSON");
        line.push('\n');
        let written = self.file.write_all(line.as_bytes());
        Ok(written.map_err(Io::on("write", &self.path))?)
    }

    /// Flushes the buffered updates to the file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.file.flush().map_err(Io::on("write", &self.path))?)
    }
}

/// A reader of a recording, even of one that is still being written.
#[derive(Debug)]
pub struct Replay {
    path: PathBuf,
    reader: BufReader<File>,
    /// The beginning of a line that is not complete yet.
    text: Vec<u8>,
    /// The number of complete lines that were read.
    line: usize,
}

impl Replay {
    /// Opens a recording, and passes the updates in it to `send`. Ignores an incomplete last line:
    /// the run may have been killed, or may still be writing.
    ///
    /// # Errors
    /// Returns an error if the file is empty or, with the line number, if it is not a recording.
    pub fn open(path: &Path, send: impl FnMut(Update)) -> Result<Self> {
        let file = regular::open(path).map_err(Io::on("read", path))?;
        let mut replay = Self {
            path: path.to_owned(),
            reader: BufReader::new(file),
            text: Vec::new(),
            line: 0,
        };
        replay.read_new(send)?;
        match (replay.line, replay.text.is_empty()) {
            (0, true) => Err(Error::Empty { path: replay.path }),
            (0, false) => replay.read().map(|_| replay),
            _ => Ok(replay),
        }
    }

    /// Passes the updates to `send` that were written since the recording was opened or this was
    /// last called.
    ///
    /// # Errors
    /// Returns an error with the line number if a line is not an update.
    pub fn read_new(&mut self, mut send: impl FnMut(Update)) -> Result<()> {
        loop {
            let most = regular::LIMIT.saturating_sub(self.text.len() as u64);
            let mut reader = (&mut self.reader).take(most);
            let read = reader.read_until(b'\n', &mut self.text);
            read.map_err(Io::on("read", &self.path))?;
            if self.text.last() != Some(&b'\n') {
                if self.text.len() as u64 >= regular::LIMIT {
                    let why = std::io::Error::other("a line is too long for a recording");
                    return Err(Io::on("read", &self.path)(why).into());
                }
                return Ok(());
            }
            self.line += 1;
            send(self.read()?);
            self.text.clear();
        }
    }

    /// Parses the line in `text`.
    fn read(&self) -> Result<Update> {
        serde_json::from_slice(&self.text).map_err(|source| Error::NoRecording {
            path: self.path.clone(),
            line: self.line.max(1),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::update::{About, Process, UpdateContent};

    #[test]
    fn a_recording_is_read_as_it_was_written_and_half_a_line_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.jsonl");
        let mut recorder = Recorder::create(&path).unwrap();
        for content in [
            UpdateContent::About(About::default()),
            UpdateContent::Process(Process::default()),
        ] {
            recorder.write(&Update { at: 7, content }).unwrap();
        }
        recorder.flush().unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "others could read it");
        let mut all = std::fs::read_to_string(&path).unwrap();
        all.push_str("{\"at\":8,\"pro");
        std::fs::write(&path, &all).unwrap();
        let mut times = Vec::new();
        let mut replay = Replay::open(&path, |update| times.push(update.at)).unwrap();
        assert_eq!(times, [7, 7]);
        all.push_str("cess\":{\"state\":\"\",\"says\":\"\",\"restarts\":0}}\n");
        std::fs::write(&path, &all).unwrap();
        replay.read_new(|update| times.push(update.at)).unwrap();
        assert_eq!(times, [7, 7, 8], "it was whole by then");
        assert!(Recorder::create(&path).is_err(), "it would be lost");
    }

    #[test]
    fn invalid_recordings_are_rejected_with_the_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        for (text, says) in [("", "empty"), ("kind: Pod\n", "x:1`"), ("nothing", "x:1`")] {
            std::fs::write(&path, text).unwrap();
            let error = Replay::open(&path, drop).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}

//! The folder in which compilers run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::CError;

/// The library's headers, so that programs do not depend on the headers of the machine.
const HEADERS: [(&str, &str); 20] = [
    ("assert.h", include_str!("../headers/assert.h")),
    ("float.h", include_str!("../headers/float.h")),
    ("limits.h", include_str!("../headers/limits.h")),
    ("math.h", include_str!("../headers/math.h")),
    ("stdarg.h", include_str!("../headers/stdarg.h")),
    ("stdbool.h", include_str!("../headers/stdbool.h")),
    ("stddef.h", include_str!("../headers/stddef.h")),
    ("stdint.h", include_str!("../headers/stdint.h")),
    ("stdlib.h", include_str!("../headers/stdlib.h")),
    ("string.h", include_str!("../headers/string.h")),
    // Those of C++.
    ("cassert", "#include <assert.h>\n"),
    ("cfloat", "#include <float.h>\n"),
    ("climits", "#include <limits.h>\n"),
    ("cmath", include_str!("../headers/cmath")),
    ("cstddef", include_str!("../headers/cstddef")),
    ("cstdint", include_str!("../headers/cstdint")),
    ("cstdlib", include_str!("../headers/cstdlib")),
    ("cstring", include_str!("../headers/cstring")),
    ("new", include_str!("../headers/new")),
    // Included by every source.
    ("tacit.h", include_str!("../headers/tacit.h")),
];

/// A directory for the compiler's files, removed at the end.
pub(crate) struct Workspace {
    path: PathBuf,
}

impl Workspace {
    pub(crate) fn new() -> Result<Self, CError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("tacit-cfront-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Workspace { path }.with_headers(),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(file_error(&path, &error)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn with_headers(self) -> Result<Self, CError> {
        let include = self.path.join("include");
        fs::create_dir(&include).map_err(|error| file_error(&include, &error))?;
        for (name, text) in HEADERS {
            write(&include.join(name), text)?;
        }
        Ok(self)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // A failure here cannot be handled; the system clears its directory for temporary files.
        let _ = fs::remove_dir_all(&self.path);
    }
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), CError> {
    fs::write(path, text).map_err(|error| file_error(path, &error))
}

pub(crate) fn file_error(path: &Path, error: &std::io::Error) -> CError {
    CError::File { path: path.display().to_string(), reason: error.to_string() }
}

use std::path::Path;

use pyo3::PyResult;
use tacit_engine::ProfileFile;
use tacit_plan::Profile;

use crate::errors::UsageError;

/// The profile of this name or file, as `--profile` gives it.
pub fn profile_of(name: &str) -> PyResult<ProfileFile> {
    match name {
        Profile::BUILT_IN => Ok(ProfileFile::of_here(Profile::default())),
        file => ProfileFile::load(Path::new(file))
            .map_err(|error| UsageError::new_err(format!("--profile: {error}"))),
    }
}

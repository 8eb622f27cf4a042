use std::ffi::{c_char, c_int};
use std::path::Path;

use serde_json::Value;
use tacit_embed::{Connection, Inputs, Outputs, Party};

use crate::{Fault, TACIT_RANGE, TacitFunction, code, handle, reference, reference_mut, text};

/// A connection, the inputs of the next run, and the outputs of the last.
#[derive(Debug)]
pub struct TacitConnection {
    connection: Connection,
    inputs: Inputs,
    outputs: Option<Outputs>,
}

impl TacitConnection {
    fn output(&self, name: &str) -> Result<&Value, Fault> {
        let outputs = self.outputs.as_ref().ok_or_else(|| Fault::argument("nothing was run yet"))?;
        Ok(outputs.value(name)?)
    }
}

fn out_of_range(name: &str) -> Fault {
    Fault { code: TACIT_RANGE, message: format!("the output {name} does not fit") }
}

/// Meets the peer.
///
/// # Safety
/// The arguments are null or strings that end in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_connect(
    session_file: *const c_char,
    party: *const c_char,
    key_file: *const c_char,
) -> *mut TacitConnection {
    handle(|| {
        // SAFETY: as this function asks for.
        let (session, party, key) = unsafe {
            (
                text(session_file, "the session file")?,
                text(party, "the party")?,
                text(key_file, "the key file")?,
            )
        };
        let party = Party::load(Path::new(session), party, Path::new(key))?;
        let connection = Connection::open(&party)?;
        Ok(TacitConnection { connection, inputs: Inputs::new(), outputs: None })
    })
}

/// Ends a connection and frees it.
///
/// # Safety
/// `connection` is null or was returned by [`tacit_connect`] and is not closed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_close(connection: *mut TacitConnection) -> c_int {
    code(|| {
        if connection.is_null() {
            return Ok(());
        }
        // SAFETY: it was made by `Box::into_raw`, once, and is given up here.
        let owned = unsafe { Box::from_raw(connection) };
        Ok(owned.connection.close()?)
    })
}

/// Sets an input to an integer.
///
/// # Safety
/// `connection` is null or an open connection that no other thread uses; `name` is null or a string that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_set_i64(
    connection: *mut TacitConnection,
    name: *const c_char,
    value: i64,
) -> c_int {
    // SAFETY: as this function asks for.
    code(|| unsafe { set(connection, name, value.into()) })
}

/// Sets an input to an integer without a sign.
///
/// # Safety
/// As for [`tacit_set_i64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_set_u64(
    connection: *mut TacitConnection,
    name: *const c_char,
    value: u64,
) -> c_int {
    // SAFETY: as this function asks for.
    code(|| unsafe { set(connection, name, value.into()) })
}

/// Sets an input to the value of a JSON text.
///
/// # Safety
/// As for [`tacit_set_i64`]; `json` is null or a string that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_set_json(
    connection: *mut TacitConnection,
    name: *const c_char,
    json: *const c_char,
) -> c_int {
    code(|| {
        // SAFETY: as this function asks for.
        let json = unsafe { text(json, "the JSON") }?;
        let value =
            serde_json::from_str(json).map_err(|error| Fault::argument(format!("no JSON: {error}")))?;
        // SAFETY: as this function asks for.
        unsafe { set(connection, name, value) }
    })
}

/// # Safety
/// As for [`tacit_set_i64`].
unsafe fn set(connection: *mut TacitConnection, name: *const c_char, value: Value) -> Result<(), Fault> {
    // SAFETY: the caller says it.
    let (connection, name) =
        unsafe { (reference_mut(connection, "the connection")?, text(name, "the name")?) };
    Ok(connection.inputs.set(name, value)?)
}

/// Runs a function with the peer.
///
/// # Safety
/// `connection` is null or an open connection that no other thread uses, `function` null or a loaded function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_run(
    connection: *mut TacitConnection,
    function: *const TacitFunction,
) -> c_int {
    code(|| {
        // SAFETY: as this function asks for.
        let (connection, function) =
            unsafe { (reference_mut(connection, "the connection")?, reference(function, "the function")?) };
        connection.outputs = None;
        let inputs = std::mem::take(&mut connection.inputs);
        connection.outputs = Some(connection.connection.run(&function.0, &inputs)?);
        Ok(())
    })
}

/// Reads an output as an integer.
///
/// # Safety
/// `connection` is null or an open connection that no other thread uses, `name` null or a string that ends in NUL, and
/// `value` null or a place for an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_get_i64(
    connection: *const TacitConnection,
    name: *const c_char,
    value: *mut i64,
) -> c_int {
    // SAFETY: as this function asks for.
    code(|| unsafe { get(connection, name, value, Value::as_i64) })
}

/// Reads an output as an integer without a sign.
///
/// # Safety
/// As for [`tacit_get_i64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_get_u64(
    connection: *const TacitConnection,
    name: *const c_char,
    value: *mut u64,
) -> c_int {
    // SAFETY: as this function asks for.
    code(|| unsafe { get(connection, name, value, Value::as_u64) })
}

/// # Safety
/// As for [`tacit_get_i64`].
unsafe fn get<T>(
    connection: *const TacitConnection,
    name: *const c_char,
    target: *mut T,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<(), Fault> {
    // SAFETY: the caller says it.
    let (connection, name) = unsafe { (reference(connection, "the connection")?, text(name, "the name")?) };
    if target.is_null() {
        return Err(Fault::argument("the place for the value is NULL"));
    }
    let value = read(connection.output(name)?).ok_or_else(|| out_of_range(name))?;
    // SAFETY: not null, and the caller says that it is a place for a `T`, which may not hold one yet.
    unsafe { target.write(value) };
    Ok(())
}

/// Reads an output as JSON.
///
/// # Safety
/// As for [`tacit_get_i64`]; `buffer` is null or a place for `capacity` bytes, and `needed` null or a place for a size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_get_json(
    connection: *const TacitConnection,
    name: *const c_char,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> c_int {
    code(|| {
        // SAFETY: as this function asks for.
        let (connection, name) =
            unsafe { (reference(connection, "the connection")?, text(name, "the name")?) };
        let text = connection.output(name)?.to_string();
        if !needed.is_null() {
            // SAFETY: not null, and a place for a size as this function asks for.
            unsafe { needed.write(text.len() + 1) };
        }
        if buffer.is_null() || capacity <= text.len() {
            return Err(out_of_range(name));
        }
        // SAFETY: the buffer has room for the text and the NUL after it, and does not overlap with the text, which is new.
        unsafe {
            buffer.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
            buffer.add(text.len()).write(0);
        }
        Ok(())
    })
}

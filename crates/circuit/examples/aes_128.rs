//! Writes AES-128 in Bristol Fashion to standard output: input 0 is the key, input 1 the plaintext, output 0
//! the ciphertext. Each is an integer of 128 bits whose hexadecimal form is the byte string of FIPS 197.

use std::error::Error;

use tacit_circuit::{formats::bristol_fashion, library};

fn main() -> Result<(), Box<dyn Error>> {
    bristol_fashion::write(&library::aes128()?, &mut std::io::stdout().lock())?;
    Ok(())
}

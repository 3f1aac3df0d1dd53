//! CURVE keys: 32 bytes each, written as 40 letters of Z85.

use std::ffi::{CStr, CString, c_char};
use std::fmt;
use std::str::FromStr;

use crate::{Error, Result, ffi};

const KEY_BYTES: usize = 32;
const TEXT_BYTES: usize = 40;

/// The key by which others know somebody.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey(pub [u8; KEY_BYTES]);

/// The key that proves who somebody is. It is wiped from memory when it is dropped, and `Debug`
/// does not show it; `Display` does, for writing it to a file of its owner.
#[derive(Clone)]
pub struct SecretKey(pub [u8; KEY_BYTES]);

/// Two keys that belong together.
#[derive(Debug, Clone)]
pub struct KeyPair {
    /// What others are told.
    pub public: PublicKey,
    /// What nobody is told.
    pub secret: SecretKey,
}

impl KeyPair {
    /// A pair that nobody had before.
    pub fn generate() -> KeyPair {
        prepare();
        let mut pair = KeyPair { public: PublicKey([0; 32]), secret: SecretKey([0; 32]) };
        let (public, secret) = (pair.public.0.as_mut_ptr(), pair.secret.0.as_mut_ptr());
        // SAFETY: both places have the 32 bytes that libsodium writes.
        unsafe { ffi::crypto_box_keypair(public, secret) };
        pair
    }
}

/// Bytes that nobody can guess.
pub fn random<const N: usize>() -> [u8; N] {
    prepare();
    let mut bytes = [0; N];
    // SAFETY: the place has the size that is given.
    unsafe { ffi::randombytes_buf(bytes.as_mut_ptr().cast(), N) };
    bytes
}

fn prepare() {
    // SAFETY: may be called at any time and on any thread.
    let outcome = unsafe { ffi::sodium_init() };
    assert!(outcome >= 0, "libsodium finds no source of random numbers");
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_z85(&self.0, f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl FromStr for PublicKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<PublicKey> {
        let mut key = PublicKey([0; KEY_BYTES]);
        read_z85(text, &mut key.0)?;
        Ok(key)
    }
}

impl fmt::Display for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_z85(&self.0, f)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

impl FromStr for SecretKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<SecretKey> {
        let mut key = SecretKey([0; KEY_BYTES]);
        read_z85(text, &mut key.0)?;
        Ok(key)
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// A text with secrets in it, such as a key file. It is wiped from memory when it is dropped.
pub struct SecretText(String);

impl SecretText {
    /// Takes a text, which nobody else should have a copy of.
    pub fn new(text: String) -> SecretText {
        SecretText(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}

impl Drop for SecretText {
    fn drop(&mut self) {
        wipe(&mut std::mem::take(&mut self.0).into_bytes());
    }
}

/// Whether two texts are equal, in a time that does not tell where they differ.
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    // SAFETY: both places have the size that is given.
    a.len() == b.len()
        && unsafe { ffi::sodium_memcmp(a.as_ptr().cast(), b.as_ptr().cast(), a.len()) == 0 }
}

/// Overwrites bytes in a way that the compiler may not leave out.
fn wipe(bytes: &mut [u8]) {
    // SAFETY: the place is writable and has the size that is given.
    unsafe { ffi::sodium_memzero(bytes.as_mut_ptr().cast(), bytes.len()) };
}

fn write_z85(key: &[u8; KEY_BYTES], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = [0u8; TEXT_BYTES + 1];
    // SAFETY: 32 bytes become 40 letters and a zero, for which there is room.
    unsafe { ffi::zmq_z85_encode(text.as_mut_ptr().cast::<c_char>(), key.as_ptr(), KEY_BYTES) };
    let letters = CStr::from_bytes_until_nul(&text).map_err(|_| fmt::Error)?;
    let outcome = f.write_str(letters.to_str().map_err(|_| fmt::Error)?);
    wipe(&mut text);
    outcome
}

fn read_z85(text: &str, key: &mut [u8; KEY_BYTES]) -> Result<()> {
    // The text is not repeated in the error: it may be a secret.
    let wrong = || Error::Input(format!("a key has {TEXT_BYTES} letters of Z85; this is none"));
    if text.len() != TEXT_BYTES || !text.is_ascii() {
        return Err(wrong());
    }
    let letters = CString::new(text).map_err(|_| wrong())?;
    // SAFETY: the text ends with a zero, and its 40 letters become 32 bytes.
    let decoded = unsafe { ffi::zmq_z85_decode(key.as_mut_ptr(), letters.as_ptr()) };
    wipe(&mut letters.into_bytes());
    if decoded.is_null() { Err(wrong()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of RFC 32.
    const TEXT: &str = "HelloWorldHelloWorldHelloWorldHelloWorld";
    const PART: [u8; 8] = [0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b];

    #[test]
    fn keys_are_written_in_z85() {
        let key: PublicKey = TEXT.parse().unwrap();
        assert_eq!(key.0.as_slice(), PART.repeat(4));
        assert_eq!(key.to_string(), TEXT);
        assert_eq!(TEXT.parse::<SecretKey>().unwrap().to_string(), TEXT);
    }

    #[test]
    fn what_is_no_key_is_refused_without_repeating_it() {
        for wrong in
            ["", &TEXT[1..], &TEXT.replace('H', "~"), &TEXT.replace('H', "\0"), &"é".repeat(20)]
        {
            let error = wrong.parse::<SecretKey>().unwrap_err().to_string();
            assert!(wrong.is_empty() || !error.contains(wrong), "{error}");
        }
        // More than four bytes hold.
        assert!("%nSc1".repeat(8).parse::<PublicKey>().is_err());
    }

    #[test]
    fn a_secret_is_not_shown_by_debug() {
        let pair = KeyPair::generate();
        let shown = format!("{pair:?}");
        assert!(!shown.contains(&pair.secret.to_string()), "{shown}");
        assert!(shown.contains(&pair.public.to_string()), "{shown}");
    }

    #[test]
    fn a_secret_is_wiped_when_it_is_dropped() {
        let mut secret = std::mem::ManuallyDrop::new(KeyPair::generate().secret);
        assert_ne!(secret.0, [0; 32]);
        // SAFETY: dropped once; the array that is looked at afterwards needs no drop.
        unsafe { std::ptr::drop_in_place(&raw mut *secret) };
        assert_eq!(secret.0, [0; 32]);
    }

    #[test]
    fn two_pairs_differ() {
        assert_ne!(KeyPair::generate().public, KeyPair::generate().public);
    }
}

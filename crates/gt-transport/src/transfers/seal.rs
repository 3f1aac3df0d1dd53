//! What libsodium does for us: random bytes, keyed hashes, sealing and opening, comparing secrets
//! and wiping them.

use std::ptr::{null, null_mut};
use std::sync::Once;

use libsodium_sys as sodium;

/// A key, a hash, or what authenticates a sealed chunk.
pub(crate) type Word = [u8; 32];

/// How long the proof of a sealed text is.
pub(super) const PROOF_BYTES: usize = 32;

fn ready() {
    static START: Once = Once::new();
    START.call_once(|| {
        // SAFETY: no requirements; it chooses the implementations that this processor can run.
        let status = unsafe { sodium::sodium_init() };
        assert!(status >= 0, "libsodium cannot be started");
    });
}

/// Bytes that nobody can guess.
pub(crate) fn random() -> Word {
    ready();
    let mut word = [0; 32];
    // SAFETY: the pointer and the length are those of `word`.
    unsafe { sodium::randombytes_buf(word.as_mut_ptr().cast(), word.len()) };
    word
}

/// BLAKE2b of the parts, one after another, under a key. Each caller's parts have fixed lengths,
/// so that no two lists of parts read the same.
pub(crate) fn hash(key: &Word, parts: &[&[u8]]) -> Word {
    ready();
    let mut text = Vec::with_capacity(192);
    parts.iter().for_each(|part| text.extend_from_slice(part));
    let mut word = [0; 32];
    // SAFETY: each pointer comes with the length of what it points to.
    let status = unsafe {
        sodium::crypto_generichash(
            word.as_mut_ptr(),
            word.len(),
            text.as_ptr(),
            text.len() as u64,
            key.as_ptr(),
            key.len(),
        )
    };
    assert!(status == 0, "lengths of keys and hashes are constants that BLAKE2b allows");
    wipe(&mut text);
    word
}

/// Whether two words are equal, in a time that does not tell where they differ.
pub(crate) fn equal<const N: usize>(a: &[u8; N], b: &[u8; N]) -> bool {
    // SAFETY: both places have the size that is given.
    unsafe { sodium::sodium_memcmp(a.as_ptr().cast(), b.as_ptr().cast(), N) == 0 }
}

/// Overwrites a secret in a way that the compiler may not leave out.
pub(crate) fn wipe(secret: &mut [u8]) {
    // SAFETY: the place is writable and has the size that is given.
    unsafe { sodium::sodium_memzero(secret.as_mut_ptr().cast(), secret.len()) };
}

/// Encrypts `plain` into `sealed`, which is as long (AEGIS-256). A key and a nonce are used for
/// one chunk only.
pub(super) fn seal(
    key: &Word,
    nonce: &Word,
    about: &[u8],
    plain: &[u8],
    sealed: &mut [u8],
) -> Word {
    assert!(plain.len() == sealed.len(), "a sealed chunk is as long as its text");
    ready();
    let mut proof = [0; 32];
    // SAFETY: each pointer comes with the length of what it points to; `sealed` is as long as
    // `plain`, and key, nonce and proof have the sizes that AEGIS-256 asks for.
    let status = unsafe {
        sodium::crypto_aead_aegis256_encrypt_detached(
            sealed.as_mut_ptr(),
            proof.as_mut_ptr(),
            null_mut(),
            plain.as_ptr(),
            plain.len() as u64,
            about.as_ptr(),
            about.len() as u64,
            null(),
            nonce.as_ptr(),
            key.as_ptr(),
        )
    };
    assert!(status == 0, "sealing cannot fail");
    proof
}

/// Decrypts a chunk where it lies; false if anything about it is not as it was sealed.
#[must_use]
pub(super) fn open(key: &Word, nonce: &Word, about: &[u8], chunk: &mut [u8], proof: &Word) -> bool {
    ready();
    let memory = chunk.as_mut_ptr();
    // SAFETY: each pointer comes with the length of what it points to. Text and sealed text are
    // the same memory, which libsodium allows if they start at the same place.
    let status = unsafe {
        sodium::crypto_aead_aegis256_decrypt_detached(
            memory,
            null_mut(),
            memory,
            chunk.len() as u64,
            proof.as_ptr(),
            about.as_ptr(),
            about.len() as u64,
            nonce.as_ptr(),
            key.as_ptr(),
        )
    };
    status == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens_in_place_and_only_as_it_was() {
        let (key, nonce) = (random(), random());
        for length in [0, 1, 15, 16, 17, 4096, 1 << 20] {
            let plain: Vec<u8> = (0..length).map(|i| (i * 31 % 251) as u8).collect();
            let mut sealed = vec![0; length];
            let proof = seal(&key, &nonce, b"about", &plain, &mut sealed);
            let mut opened = sealed.clone();
            assert!(open(&key, &nonce, b"about", &mut opened, &proof));
            assert_eq!(opened, plain);
            assert!(!open(&random(), &nonce, b"about", &mut sealed.clone(), &proof));
            assert!(!open(&key, &random(), b"about", &mut sealed.clone(), &proof));
            assert!(!open(&key, &nonce, b"other", &mut sealed.clone(), &proof));
            if let Some(byte) = sealed.first_mut() {
                *byte ^= 1;
                assert!(!open(&key, &nonce, b"about", &mut sealed, &proof));
            }
        }
    }
}

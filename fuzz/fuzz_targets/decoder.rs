//! Fuzzes the decoder that the target is named after.
#![no_main]

#[path = "../decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let decoder = decoders::ALL.iter().find(|one| one.name == env!("CARGO_BIN_NAME"));
    (decoder.expect("each target is named after a decoder").run)(bytes);
});

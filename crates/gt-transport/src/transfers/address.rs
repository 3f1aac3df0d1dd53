//! Where a depot can be reached.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::de::{Deserializer, Error as _, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// The longest path or host that is read off a wire; a socket's path cannot be longer than 107
/// bytes, a host name not longer than 253.
const MAX_BYTES: usize = 300;

/// The ways to a depot. The Unix socket is given to peers on the same host only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Address {
    /// The path of a Unix socket.
    #[serde(with = "path")]
    pub unix: Option<PathBuf>,
    /// A host and a port: `10.0.0.7:4100`.
    #[serde(deserialize_with = "text")]
    pub tcp: Option<String>,
}

impl Address {
    /// The address for somebody who can or cannot use sockets of that host.
    pub fn seen_from(self, local: bool) -> Address {
        Address { unix: self.unix.filter(|_| local), ..self }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.unix, &self.tcp) {
            (Some(path), Some(host)) => write!(f, "{} or {host}", path.display()),
            (Some(path), None) => write!(f, "{}", path.display()),
            (None, Some(host)) => f.write_str(host),
            (None, None) => f.write_str("nowhere"),
        }
    }
}

/// A path travels as bytes, because it need not be text.
mod path {
    use super::*;

    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
        struct Raw<'a>(&'a Path);
        impl Serialize for Raw<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_bytes(self.0.as_os_str().as_bytes())
            }
        }
        path.as_deref().map(Raw).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
        let bytes = Option::<Bounded>::deserialize(from)?;
        Ok(bytes.map(|bytes| PathBuf::from(OsStr::from_bytes(&bytes.0))))
    }
}

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let bytes = Option::<Bounded>::deserialize(from)?.map(|bytes| bytes.0);
    bytes.map(String::from_utf8).transpose().map_err(D::Error::custom)
}

/// Bytes that are measured before they are copied.
struct Bounded(Vec<u8>);

impl<'de> Deserialize<'de> for Bounded {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Bounded;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at most {MAX_BYTES} bytes")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bounded, E> {
                if bytes.len() > MAX_BYTES {
                    return Err(E::custom(format_args!("an address longer than {MAX_BYTES}")));
                }
                Ok(Bounded(bytes.to_vec()))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Bounded, E> {
                self.visit_bytes(text.as_bytes())
            }
        }

        // Text and bytes look alike on the wire, and either is accepted.
        from.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_survives_the_wire() {
        let path = PathBuf::from(OsStr::from_bytes(b"/run/\xff/bulk"));
        for address in [
            Address::default(),
            Address { unix: Some(path), tcp: Some("[::1]:4100".into()) },
            Address { unix: None, tcp: Some("host:1".into()) },
        ] {
            let bytes = postcard::to_stdvec(&address).expect("an address can be encoded");
            let back: Address = postcard::from_bytes(&bytes).expect("and decoded");
            assert_eq!(back, address);
        }
    }

    #[test]
    fn an_address_that_is_too_long_is_refused() {
        for address in [
            Address { unix: Some(PathBuf::from("p".repeat(301))), tcp: None },
            Address { unix: None, tcp: Some("h".repeat(301)) },
        ] {
            let bytes = postcard::to_stdvec(&address).expect("an address can be encoded");
            assert!(postcard::from_bytes::<Address>(&bytes).is_err());
        }
    }
}

//! Who may see the page: whoever has its token, under a name of this host that nobody else can give
//! to theirs.

use std::fmt::Write as _;
use std::net::IpAddr;

use gt_transport::transfers::Key;

/// What opens the page.
pub struct Access {
    token: Key,
    /// The cookie that has the token after it was shown once. Cookies are the same for all ports of
    /// a host, so that its name has the port.
    cookie: String,
    /// What this host is called.
    names: Vec<String>,
}

/// The parts of a request that say who asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown<'a> {
    /// The query of its address.
    pub query: Option<&'a str>,
    /// The header `Cookie`.
    pub cookie: Option<&'a str>,
    /// The header `Authorization`.
    pub authorization: Option<&'a str>,
}

impl Access {
    /// Access with a token that nobody can guess.
    pub fn new(port: u16, names: impl IntoIterator<Item = String>) -> Access {
        let names = names.into_iter().chain(["localhost".to_string()]).collect();
        Access { token: Key::random(), cookie: format!("gt_{port}"), names }
    }

    /// The token, as it stands in addresses.
    pub fn token(&self) -> String {
        self.token.0.iter().fold(String::new(), |mut text, byte| {
            // Writing to memory does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Whether the token stands in the address.
    pub fn is_in_address(&self, shown: Shown) -> bool {
        let mut words = shown.query.into_iter().flat_map(|query| query.split('&'));
        words.any(|word| word.strip_prefix("token=").is_some_and(|token| self.is_token(token)))
    }

    /// Whether the token stands in a header.
    pub fn is_in_header(&self, shown: Shown) -> bool {
        let bearer = shown.authorization.and_then(|text| text.strip_prefix("Bearer "));
        let cookies = shown.cookie.into_iter().flat_map(|text| text.split(';'));
        let own = cookies.filter_map(|cookie| {
            let (name, token) = cookie.trim().split_once('=')?;
            (name == self.cookie).then_some(token)
        });
        own.chain(bearer).any(|token| self.is_token(token))
    }

    /// What keeps the token for the next requests of the same browser. Scripts cannot read it, and
    /// other sites' pages cannot make a browser send it.
    pub fn set_cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Lax", self.cookie, self.token())
    }

    /// Whether a request was meant for this host. A page from elsewhere can have its own name lead
    /// here, and would be allowed to read the answers; it can do so with no address, and with no
    /// name of ours.
    pub fn is_own_name(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']').map_or("", |(address, _)| address),
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        name.parse::<IpAddr>().is_ok()
            || self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Keys are compared in a time that does not tell where they differ.
    fn is_token(&self, text: &str) -> bool {
        key(text).is_some_and(|key| key == self.token)
    }
}

fn key(text: &str) -> Option<Key> {
    let mut key = Key([0; 32]);
    if text.len() != 2 * key.0.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, digits) in key.0.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access() -> Access {
        Access::new(9100, ["node7".to_string()])
    }

    #[test]
    fn the_token_opens_and_nothing_else_does() {
        let access = access();
        let token = access.token();
        let query = format!("a=b&token={token}");
        assert!(access.is_in_address(Shown { query: Some(&query), ..Shown::default() }));
        let other = self::access().token();
        let (short, long, changed) =
            (&token[1..], format!("{token}0"), format!("g{}", &token[1..]));
        for wrong in [other.as_str(), "", short, &long, &changed] {
            let query = format!("token={wrong}");
            assert!(!access.is_in_address(Shown { query: Some(&query), ..Shown::default() }));
            let authorization = format!("Bearer {wrong}");
            let shown = Shown { authorization: Some(&authorization), ..Shown::default() };
            assert!(!access.is_in_header(shown), "{wrong}");
        }
        assert!(!access.is_in_header(Shown::default()) && !access.is_in_address(Shown::default()));
    }

    #[test]
    fn a_header_or_the_cookie_of_this_port_has_the_token() {
        let access = access();
        let token = access.token();
        let authorization = format!("Bearer {token}");
        let shown = Shown { authorization: Some(&authorization), ..Shown::default() };
        assert!(access.is_in_header(shown));
        for (cookie, opens) in [
            (format!("a=1; gt_9100={token}"), true),
            (format!("gt_9100=; gt_9100={token}; b=2"), true),
            (format!("gt_9101={token}"), false),
            (token.clone(), false),
        ] {
            let shown = Shown { cookie: Some(&cookie), ..Shown::default() };
            assert_eq!(access.is_in_header(shown), opens, "{cookie}");
        }
        assert!(access.set_cookie().starts_with(&format!("gt_9100={token};")));
    }

    #[test]
    fn names_of_others_are_refused() {
        let access = access();
        for own in ["localhost", "localhost:9100", "LOCALHOST:1", "127.0.0.1:9100", "node7:9100"] {
            assert!(access.is_own_name(own), "{own}");
        }
        for own in ["[::1]:9100", "[::1]", "10.0.0.7"] {
            assert!(access.is_own_name(own), "{own}");
        }
        for other in [
            "evil.example",
            "evil.example:9100",
            "localhost.evil.example",
            "",
            ":",
            "[",
            "node7.evil",
        ] {
            assert!(!access.is_own_name(other), "{other}");
        }
    }
}

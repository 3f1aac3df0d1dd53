//! What a stream says of scopes, as text.

use super::*;
use crate::config::Config;
use crate::scope::{enter, enter_module, exit, placing, restore, within};

const FILE: &str = r#"
a: {shard: {replicated: true}, backward: a_back}
b: {shard: {axis: 1, workers: [1]}}
a_back: {shard: {axis: 0, workers: [0, 7]}}
"h.*": {keep: false}
"Net.h.1": {shard: {replicated: true, workers: [2]}}
"#;

struct Said {
    scopes: Scopes,
}

impl Said {
    fn with(file: &str) -> Self {
        let mut said = Said { scopes: Scopes::default() };
        said.configure(file);
        said
    }

    fn configure(&mut self, file: &str) {
        let config = Config::default().read(file, "test.yaml").unwrap();
        self.scopes.configure(Arc::new(Resolved { config, workers: 3, ..Resolved::default() }));
    }

    /// What is said before the next command of this thread.
    fn next(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        if !self.scopes.is_current() {
            self.scopes.follow(|command| said.push(command.to_string()));
        }
        said
    }
}

#[test]
fn a_scope_is_defined_once_and_said_when_it_changes() {
    let mut said = Said::with(FILE);
    // One wish is said at once, so that the dispatcher knows that there are some.
    assert_eq!(said.next(), ["scope1 := \"a\" in scope0 replicated"]);
    for _ in 0..2 {
        enter("a", None);
        assert_eq!(said.next(), ["in scope1"]);
        assert!(said.next().is_empty());
        enter("nothing is said of this", None);
        assert!(said.next().is_empty());
        exit("nothing is said of this").unwrap();
        let outer = current();
        exit("a").unwrap();
        within(&outer, || assert!(said.next().is_empty()));
        assert_eq!(said.next(), ["in scope0"]);
    }
}

#[test]
fn the_innermost_name_that_has_a_key_decides() {
    let mut said = Said::with(FILE);
    assert_eq!(said.next().len(), 1);
    enter("a", None);
    enter("b", None);
    assert_eq!(said.next(), ["scope2 := \"b\" in scope0 shard(1) 1", "in scope2"]);
    enter_module("h.0", "Net.h.0");
    let expected = "scope3 := \"b\" in scope0 shard(1) 1 dropped after use";
    assert_eq!(said.next(), [expected, "in scope3"]);
    enter_module("h.1", "Net.h.1");
    let expected = "scope4 := \"Net.h.1\" in scope0 replicated 2 dropped after use";
    assert_eq!(said.next(), [expected, "in scope4"]);
    let wish = Wish::sharded(0, []);
    within(&placing("*.weight", wish), || {
        assert_eq!(said.next(), ["scope5 := \"*.weight\" in scope0 shard(0)", "in scope5"]);
    });
    restore(0);
    assert_eq!(said.next(), ["in scope0"]);
}

#[test]
fn gradients_have_the_scope_that_is_configured_for_them() {
    let mut said = Said::with(FILE);
    assert_eq!(said.next().len(), 1);
    let name = |scope: &Current| scope.as_ref().map(|scope| scope.describe());
    let nothing: Current = None;
    assert!(said.scopes.backward(&nothing).is_none());
    let plain = signal(None, "b", None);
    assert_eq!(name(&said.scopes.backward(&plain)), name(&plain));
    let inner = signal(signal(None, "a", None), "b", None);
    let backward = said.scopes.backward(&inner);
    assert_eq!(name(&backward).as_deref(), Some("the signal 'a_back'"));
    // Workers that do not exist are left out.
    within(&backward, || {
        assert_eq!(said.next(), ["scope2 := \"a_back\" in scope0 shard(0) 0", "in scope2"]);
    });
    // Gradients of gradients are in the same one.
    assert_eq!(address(&said.scopes.backward(&backward)), address(&backward));
    let own = signal(None, "a", Some("b"));
    assert_eq!(name(&said.scopes.backward(&own)).as_deref(), Some("the signal 'b'"));
    let unknown = signal(None, "b", Some("c"));
    assert_eq!(address(&said.scopes.backward(&unknown)), address(&unknown));
}

#[test]
fn another_config_counts_from_the_next_command_on() {
    let mut said = Said::with(FILE);
    enter("a", None);
    assert_eq!(said.next().len(), 2);
    said.configure("a: {shard: {axis: 0}}");
    assert_eq!(said.next(), ["scope2 := \"a\" in scope0 shard(0)", "in scope2"]);
    said.configure(FILE);
    assert_eq!(said.next(), ["in scope1"]);
    said.configure("");
    assert_eq!(said.next(), ["in scope0"]);
    exit("a").unwrap();
}

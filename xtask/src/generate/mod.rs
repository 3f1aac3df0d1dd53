//! Generated files: what each one holds, and whether the committed copy still says the same.

mod docs;
mod environment;
mod example;
mod python;
mod rust;
mod signature;
mod third_party;

use std::fs;
use std::path::Path;

/// A file made from the source, committed and never edited.
struct Generated {
    /// Relative to the root of the workspace.
    path: &'static str,
    contents: String,
}

/// Every generated file of the workspace.
fn files(root: &Path) -> Result<Vec<Generated>, String> {
    Ok(vec![
        Generated { path: "crates/gt/src/generated.rs", contents: rust::native() },
        Generated { path: "crates/gt-py/src/generated.rs", contents: rust::bindings() },
        Generated { path: "python/gt/_gt.pyi", contents: python::stub() },
        Generated { path: "docs/reference/ops.md", contents: docs::reference() },
        Generated { path: "docs/reference/environment.md", contents: environment::reference() },
        Generated { path: "THIRD-PARTY.md", contents: third_party::page(root)? },
    ])
}

/// Writes the files that differ from what is committed.
pub fn write(root: &Path) -> Result<String, String> {
    let files = files(root)?;
    let stale: Vec<&Generated> = files.iter().filter(|file| is_stale(root, file)).collect();
    for file in &stale {
        save(root, file)?;
    }
    Ok(format!("generate: {} of {} files written", stale.len(), files.len()))
}

/// Names the files that differ from what the source says.
pub fn check(root: &Path) -> Result<String, String> {
    verdict(root, &files(root)?)
}

fn verdict(root: &Path, files: &[Generated]) -> Result<String, String> {
    let stale: Vec<&str> =
        files.iter().filter(|file| is_stale(root, file)).map(|file| file.path).collect();
    if stale.is_empty() {
        return Ok(format!("generate: {} files are up to date", files.len()));
    }
    Err(format!("generate: stale: {}; run `cargo xtask generate`", stale.join(", ")))
}

/// A file that cannot be read counts as stale: writing it tells the reason.
fn is_stale(root: &Path, file: &Generated) -> bool {
    fs::read_to_string(root.join(file.path)).ok().as_deref() != Some(file.contents.as_str())
}

fn save(root: &Path, file: &Generated) -> Result<(), String> {
    let path = root.join(file.path);
    let folder = path.parent().expect("a generated file lies below the root");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, &file.contents))
        .map_err(|error| format!("generate: cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_stale_until_it_is_written() {
        let root = std::env::temp_dir().join(format!("gt-generate-{}", std::process::id()));
        let file = Generated { path: "docs/ops.md", contents: "# Operations\n".to_string() };

        let report = verdict(&root, std::slice::from_ref(&file)).unwrap_err();
        assert_eq!(report, "generate: stale: docs/ops.md; run `cargo xtask generate`");

        save(&root, &file).unwrap();
        assert!(verdict(&root, &[file]).is_ok());

        let changed = Generated { path: "docs/ops.md", contents: "# Ops\n".to_string() };
        assert!(verdict(&root, &[changed]).is_err());
        fs::remove_dir_all(root).unwrap();
    }
}

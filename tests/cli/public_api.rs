//! The public items of `rustop-manager`, as the committed file `manager/public-api.txt`, so that
//! the diff of a commit shows each change of the surface. `RUSTOP_OVERWRITE=1 cargo test --test cli
//! public_api` writes the file again.

mod items;
mod modules;

use std::fs;
use std::path::Path;

use similar::TextDiff;

use self::modules::Modules;

const FILE: &str = "manager/public-api.txt";

#[test]
fn the_listed_public_api_is_that_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let public_api = items::list(&Modules::read(&root.join("manager/src")));
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        return fs::write(root.join(FILE), public_api).unwrap();
    }
    let listed = fs::read_to_string(root.join(FILE)).unwrap_or_default();
    let difference = TextDiff::from_lines(&listed, &public_api);
    assert!(
        listed == public_api,
        "the public API of rustop-manager has changed; to accept the change: \
         RUSTOP_OVERWRITE=1 cargo test --test cli public_api\n{}",
        difference.unified_diff().context_radius(0)
    );
}

#[test]
fn items_are_listed_where_users_find_them() {
    let dir = tempfile::tempdir().unwrap();
    let files = [
        (
            "lib.rs",
            "mod hidden;\npub mod open;\n#[cfg(feature = \"more\")]\npub use hidden::Extra;\npub use hidden::{Cow, Mood};\npub use kube::Client;\npub(crate) fn inner() {}\n",
        ),
        (
            "hidden.rs",
            "mod below;\n#[derive(Clone)]\npub struct Cow { pub name: String, age: u8 }\n#[non_exhaustive]\npub enum Mood { Good, Bad { why: String } }\npub struct Extra;\npub struct Unreachable;\nimpl Default for Cow { fn default() -> Self { todo!() } }\n",
        ),
        (
            "hidden/below.rs",
            "use super::Cow;\nimpl Cow {\n    /// Returns a sound.\n    #[deprecated]\n    pub async fn moo(\n        &self,\n    ) -> String { String::new() }\n    fn chew(&self) {}\n}\n#[cfg(test)]\nmod tests { pub fn test() {} }\n",
        ),
        (
            "open.rs",
            "pub use crate::hidden::Cow;\npub trait Moos { type Sound; fn moo(&self) -> u8 { 1 } }\npub const LEGS: u8 = 4;\npub type Legs<T> = Vec<T>;\n#[doc(hidden)]\npub fn secret() {}\n",
        ),
    ];
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let expected = "\
pub use Client = kube::Client
pub struct Cow
impl Clone for Cow
impl Default for Cow
pub async fn Cow::moo(&self) -> String [deprecated]
pub Cow::name: String
pub struct Extra [feature = \"more\"]
pub enum Mood [non_exhaustive]
pub Mood::Bad { why: String }
pub Mood::Good
pub mod open
pub use open::Cow = Cow
pub const open::LEGS: u8
pub type open::Legs<T> = Vec<T>
pub trait open::Moos
type open::Moos::Sound
fn open::Moos::moo(&self) -> u8 { .. }
";
    let found = items::list(&Modules::read(dir.path()));
    let found: Vec<_> = found
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .collect();
    assert_eq!(found.join("\n") + "\n", expected);
}

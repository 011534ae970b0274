//! Tests of the generated conversions, and of the places left to the user.

use super::*;

const OLD: &str = "
        pub struct CowSpec { pub message: Option<String>, pub pens: Vec<Pen>, pub mood: Option<Mood>, pub herd: String }
        pub struct Pen { pub size: Size }
        pub struct Size(pub u8, pub BTreeMap<String, Pen>);
        pub enum Mood { Glad, Sad(Box<Pen>), Wild { pen: Pen }, Gone }
        pub struct Only;
    ";

fn version<'a>(name: &'a str, path: &'a str, text: &'a str) -> Version<'a> {
    Version { name, path, text }
}

#[test]
fn fields_are_converted_by_name() {
    let new = OLD
        .replace("pub herd: String", "pub volume: u8")
        .replace(", Gone", "")
        .replace("struct Only", "struct Other");
    let (old, new) = (
        version("v1alpha1", "v1alpha1::cow", OLD),
        version("v1", "v1::cow", &new),
    );
    let text = between("Cow", &old, &new, Unequal::Guess).unwrap();
    let up = "\
use crate::v1alpha1::cow as old;
use crate::v1alpha1::cow::CowSpec as OldSpec;

use crate::v1::cow as new;
use crate::v1::cow::CowSpec as NewSpec;

impl From<OldSpec> for NewSpec {
    fn from(old: OldSpec) -> Self {
        let OldSpec {
            message,
            pens,
            mood,
            herd: _, // dropped: not in v1
        } = old;
        Self {
            message,
            pens: pens.into_iter().map(Into::into).collect(),
            mood: mood.map(Into::into),
            volume: Default::default(), // not in v1alpha1
        }
    }
}
";
    assert!(text.starts_with(up), "{text}");
    for part in [
        "            volume: _, // dropped: not in v1alpha1\n",
        "        let old::Pen { size } = old;\n        Self { size: size.into() }\n",
        "        let old::Size(a, b) = old;\n        Self(a, b.into_iter().map(|(key, it)| (key, it.into())).collect())\n",
        "            old::Mood::Glad => Self::Glad,\n            old::Mood::Sad(a) => Self::Sad(Box::new((*a).into())),\n            old::Mood::Wild { pen } => Self::Wild { pen: pen.into() },\n        }\n",
    ] {
        assert!(text.contains(part), "{part}{text}");
    }
    assert!(!text.contains("Only") && !text.contains("Gone"), "{text}");
    syn::parse_file(&text).unwrap();
}

#[test]
fn a_kind_without_a_spec_gets_no_conversion() {
    let spec = version("v1", "v1::cow", OLD);
    for text in ["struct {", "struct BullSpec;"] {
        assert!(
            between(
                "Cow",
                &version("v2", "v2::cow", text),
                &spec,
                Unequal::Guess
            )
            .is_none()
        );
    }
}

#[test]
fn unreviewed_types_get_a_todo_with_the_differences() {
    let new = OLD
        .replace("pub herd: String", "pub herd: u8, pub volume: u8")
        .replace(", Gone", "");
    let (old, new) = (
        version("v1alpha1", "v1alpha1::cow", OLD),
        version("v1", "v1::cow", &new),
    );
    let text = between("Cow", &old, &new, Unequal::Todo).unwrap();
    for part in [
        "impl From<OldSpec> for NewSpec {\n    fn from(old: OldSpec) -> Self {\n        let _ = old;\n        todo!(\"convert to v1: herd, volume\")\n    }\n}\n",
        "        let _ = new;\n        todo!(\"convert to v1alpha1: herd, volume\")\n",
        "        todo!(\"convert to v1: Gone\")\n",
        "        let old::Pen { size } = old;\n        Self { size: size.into() }\n",
    ] {
        assert!(text.contains(part), "{part}{text}");
    }
    syn::parse_file(&text).unwrap();
}

#[test]
fn many_names_take_several_lines() {
    let names = |letter: char| (0..9).map(move |n| format!("pub {letter}_field_of_a_cow_{n}: u8"));
    let cow = |letter| {
        format!(
            "pub struct CowSpec {{ {} }}",
            names(letter).collect::<Vec<_>>().join(", ")
        )
    };
    let (old, new) = (cow('a'), cow('b'));
    let (old, new) = (
        version("v1", "v1::cow", &old),
        version("v2", "v2::cow", &new),
    );
    let text = between("Cow", &old, &new, Unequal::Todo).unwrap();
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    let of = |text: &str| syn::parse_file(text).unwrap();
    assert!(text.contains("b_field_of_a_cow_8"), "{text}");
    assert_eq!(of(&text).items.len(), 4);
}

#[test]
fn long_lines_are_broken_as_rustfmt_does() {
    let long = "cleaned_by_this_worker_of_the_farm_on_each_day_of_it";
    let cases = [
        ("a: a.into_iter().map(Into::into).collect()".to_owned(), "            a: a.into_iter().map(Into::into).collect(),".to_owned()),
        (
            "a_list_of: a_list_of.into_iter().map(|(key, it)| (key, it.into())).collect()".to_owned(),
            "            a_list_of: a_list_of\n                .into_iter()\n                .map(|(key, it)| (key, it.into()))\n                .collect(),".to_owned(),
        ),
        (
            format!("{long}: {long}.map(Into::into)"),
            format!("            {long}:\n                {long}.map(Into::into),"),
        ),
        (
            format!("{long}: {long}.map(|it| it.into_iter().map(Into::into).collect())"),
            format!("            {long}:\n                {long}\n                    .map(|it| it.into_iter().map(Into::into).collect()),"),
        ),
    ];
    for (field, laid_out) in cases {
        assert_eq!(layout::field(&field, 12), laid_out);
    }
}

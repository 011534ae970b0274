//! Types that several kinds of a version have in common: the first kind defines such a type, and
//! the others import it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::defaults::{self, Defaults};
use super::model::{Body, Model, Type};
use super::names::Names;

/// The types of the kinds processed so far.
#[derive(Default)]
pub struct Shared {
    /// The number of each type by its content without names: equal types have the same number.
    numbers: BTreeMap<String, usize>,
    /// The module and the name of each type, by place and number. A place is the module whose kinds
    /// share types.
    homes: BTreeMap<(String, usize), SharedTypeHome>,
}

#[derive(Clone)]
struct SharedTypeHome {
    module: String,
    name: String,
}

impl Shared {
    /// Makes a kind import the types that other kinds in `place` define, except for names that it
    /// uses for something else. Returns the numbers of its types, in the order of `Model::items`,
    /// for [`Self::add`].
    pub fn find(
        &mut self,
        place: &str,
        model: &mut Model,
        is_taken: &dyn Fn(&str) -> bool,
    ) -> Vec<usize> {
        let numbers = self.numbers(model);
        let fixed = model.items.iter().filter_map(|item| item.fixed.clone());
        let mut taken: BTreeSet<String> = fixed.collect();
        for (item, &number) in model.items.iter_mut().zip(&numbers) {
            let home = self.homes.get(&(place.to_owned(), number));
            if let Some(home) = home.filter(|_| item.fixed.is_none())
                && !is_taken(&home.name)
                && taken.insert(home.name.clone())
            {
                item.fixed = Some(home.name.clone());
                item.home = Some(home.module.clone());
            }
        }
        numbers
    }

    /// Adds the types that a kind defines in `module`, so that later kinds in `place` can import
    /// them.
    pub fn add(
        &mut self,
        place: &str,
        module: &str,
        numbers: &[usize],
        (model, names): (&Model, &Names),
    ) {
        let own = names.items.iter();
        for (&index, name) in own.filter(|(index, _)| model.items[**index].fixed.is_none()) {
            let home = SharedTypeHome {
                module: module.to_owned(),
                name: name.clone(),
            };
            self.homes
                .entry((place.to_owned(), numbers[index]))
                .or_insert(home);
        }
    }

    fn numbers(&mut self, model: &Model) -> Vec<usize> {
        let defaults = defaults::find_defaults(model);
        let mut found = vec![None; model.items.len()];
        let all = 0..model.items.len();
        all.map(|index| self.number(model, &defaults, index, &mut found))
            .collect()
    }

    fn number(
        &mut self,
        model: &Model,
        defaults: &Defaults,
        index: usize,
        found: &mut [Option<usize>],
    ) -> usize {
        if let Some(number) = found[index] {
            return number;
        }
        let item = &model.items[index];
        let mut text = format!("{:?}", item.keywords);
        match &item.body {
            Body::Enum(texts) => {
                let _ = write!(text, " {texts:?} {}", defaults.is_enum(index));
            }
            Body::Struct(fields) => {
                for field in fields {
                    let kinds = [Some(&field.kind), field.with.as_ref()];
                    let kinds = kinds
                        .map(|kind| kind.map(|kind| self.content(model, defaults, kind, found)));
                    let _ = write!(
                        text,
                        " {:?} {kinds:?} {} {:?} {:?}",
                        field.name, field.required, field.keywords, field.inner
                    );
                }
            }
        }
        let next = self.numbers.len();
        let number = *self.numbers.entry(text).or_insert(next);
        found[index] = Some(number);
        number
    }

    /// Returns the content of a type as text, with numbers for the structs and enums in it.
    fn content(
        &mut self,
        model: &Model,
        defaults: &Defaults,
        kind: &Type,
        found: &mut [Option<usize>],
    ) -> String {
        match kind {
            Type::Item(index) => format!("#{}", self.number(model, defaults, *index, found)),
            Type::Kept(index) => model.kept[*index].schema.to_string(),
            Type::Option(inner) => {
                format!("Option {}", self.content(model, defaults, inner, found))
            }
            Type::List(inner) => format!("List {}", self.content(model, defaults, inner, found)),
            Type::Map(inner) => format!("Map {}", self.content(model, defaults, inner, found)),
            Type::Plain(_) | Type::Known(_) => format!("{kind:?}"),
        }
    }
}

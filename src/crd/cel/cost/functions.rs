//! Functions and operators, with the costs of cel-go and of Kubernetes' `library.CostEstimator`.

use super::Estimator;
use crate::crd::cel::term::{Kind, Term, UNKNOWN};

impl<'a> Estimator<'a> {
    /// The cost of a function beside that of its arguments, and what it gives.
    pub fn function(
        &mut self,
        name: &str,
        target: Option<&Term<'a>>,
        arguments: &[Term<'a>],
    ) -> (u64, Term<'a>) {
        if let Some(result) = self.operator(name, arguments) {
            return result;
        }
        let flag = || Term::scalar(Kind::Bool);
        let int = || Term::scalar(Kind::Int);
        let text = |most: u64| Term::new(Kind::Text, most);
        match (name, target, arguments) {
            ("startsWith" | "endsWith", Some(_), [part]) => (traversal(part.most), flag()),
            ("contains", Some(whole), [part]) => (
                traversal(whole.most).saturating_mul(traversal(part.most)),
                flag(),
            ),
            ("matches", Some(whole), [pattern]) | ("matches", None, [whole, pattern]) => {
                (matching(whole.most, pattern.most), flag())
            }
            ("find", Some(whole), [pattern, ..]) => {
                (matching(whole.most, pattern.most), text(whole.most))
            }
            ("findAll", Some(whole), [pattern, ..]) => {
                (matching(whole.most, pattern.most), self.texts(whole.most))
            }
            ("lowerAscii" | "upperAscii" | "trim" | "substring", Some(whole), _) => {
                (traversal(whole.most), text(whole.most))
            }
            ("replace", Some(whole), [from, to, ..]) => {
                (share(whole.most, 0.2), text(replaced(whole, from, to)))
            }
            ("split", Some(whole), _) => (share(whole.most, 0.2), self.texts(whole.most)),
            ("join", Some(list), separators) => {
                let Kind::List(item) = &list.kind else {
                    return (1, self.guess());
                };
                let separator = separators.first().map_or(0, |separator| separator.most);
                let between = separator.saturating_mul(list.most.saturating_sub(1));
                let most = list.most.saturating_mul(item.most).saturating_add(between);
                (traversal(most), text(most))
            }
            ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", Some(list), _) => {
                let Kind::List(item) = &list.kind else {
                    return (traversal(list.most), int());
                };
                let each = if matches!(item.kind, Kind::Text | Kind::Bytes) {
                    traversal(item.most).saturating_add(1)
                } else {
                    1
                };
                let term = match name {
                    "isSorted" => flag(),
                    "indexOf" | "lastIndexOf" => int(),
                    _ => (**item).clone(),
                };
                (list.most.saturating_mul(each), term)
            }
            ("isIP" | "isCIDR" | "isQuantity" | "isSemver" | "isURL", None, [whole, ..]) => {
                (traversal(whole.most), flag())
            }
            ("ip" | "cidr" | "quantity" | "semver" | "url", None, [whole, ..]) => {
                (traversal(whole.most), Term::any())
            }
            ("isGreaterThan" | "isLessThan" | "isInteger" | "hasValue", ..) => (1, flag()),
            ("size" | "compareTo" | "sign" | "asInteger", ..) | ("int", None, [_]) => (1, int()),
            ("double", None, [_]) => (1, Term::scalar(Kind::Double)),
            ("string", None, [whole]) if whole.kind == Kind::Text => (1, whole.clone()),
            ("dyn", None, [whole]) => (
                1,
                Term {
                    kind: Kind::Any,
                    ..*whole
                },
            ),
            ("duration" | "timestamp", None, [_]) => (1, Term::scalar(Kind::Time)),
            (
                "orValue",
                Some(Term {
                    kind: Kind::Optional(inner),
                    ..
                }),
                [other],
            ) => (1, inner.as_ref().clone().or(other.clone())),
            (
                "value",
                Some(Term {
                    kind: Kind::Optional(inner),
                    ..
                }),
                [],
            ) => (1, inner.as_ref().clone()),
            ("type", None, [_])
            | ("of" | "none" | "getHostname" | "getHost" | "getPort" | "getScheme", ..) => {
                (1, Term::any())
            }
            _ => (1, self.guess()),
        }
    }

    fn operator(&mut self, name: &str, arguments: &[Term<'a>]) -> Option<(u64, Term<'a>)> {
        let flag = || Term::scalar(Kind::Bool);
        Some(match (name, arguments) {
            ("_&&_" | "_||_", [a, b]) => {
                self.needs(name, &[a, b], &Kind::Bool);
                (0, flag())
            }
            ("!_", [a]) => {
                self.needs(name, &[a], &Kind::Bool);
                (1, flag())
            }
            ("_?_:_", [condition, yes, no]) => {
                self.needs(name, &[condition], &Kind::Bool);
                let either = yes.clone().or(no.clone());
                // A list that may be one of two has sizes that are hard to tell.
                let is_loop =
                    matches!(&yes.kind, Kind::List(_)) && matches!(&no.kind, Kind::List(_));
                self.estimate.exact &= is_loop
                    || !matches!(either.kind, Kind::List(_) | Kind::Map(_) | Kind::Object(..));
                (0, either)
            }
            ("_==_" | "_!=_", [a, b]) => {
                self.alike(name, a, b);
                (traversal(a.most.min(b.most)), flag())
            }
            ("_<_" | "_<=_" | "_>_" | "_>=_", [a, b]) => {
                let both = matches!(
                    (&a.kind, &b.kind),
                    (Kind::Int | Kind::Double, Kind::Int | Kind::Double)
                );
                if !both {
                    self.alike(name, a, b);
                }
                let numbers = [a, b]
                    .iter()
                    .any(|term| !matches!(term.kind, Kind::Text | Kind::Bytes | Kind::Any));
                (
                    if numbers {
                        1
                    } else {
                        traversal(a.most.min(b.most))
                    },
                    flag(),
                )
            }
            (
                "@in",
                [
                    _,
                    Term {
                        kind: Kind::List(_) | Kind::Any,
                        most,
                        ..
                    },
                ],
            ) => (*most, flag()),
            ("@in" | "@not_strictly_false", _) => (1, flag()),
            ("_[_]", [of, _]) => (
                1,
                match &of.kind {
                    Kind::List(item) | Kind::Map(item) => item.as_ref().clone(),
                    _ => self.guess(),
                },
            ),
            ("_[?_]", [of, _]) => (
                1,
                match &of.kind {
                    Kind::List(item) | Kind::Map(item) => {
                        Term::new(Kind::Optional(item.clone()), UNKNOWN)
                    }
                    _ => self.guess(),
                },
            ),
            ("_+_", [a, b]) => self.sum(a, b),
            ("_-_" | "_*_" | "_/_" | "_%_", [a, b]) => {
                self.alike(name, a, b);
                (1, Term::scalar(a.kind.clone()))
            }
            ("-_", [a]) => (1, a.clone()),
            _ => return None,
        })
    }

    fn sum(&mut self, a: &Term<'a>, b: &Term<'a>) -> (u64, Term<'a>) {
        let times = matches!(a.kind, Kind::Time) || matches!(b.kind, Kind::Time);
        if !times {
            self.alike("_+_", a, b);
        }
        let (least, most) = (
            a.least.saturating_add(b.least),
            a.most.saturating_add(b.most),
        );
        match (&a.kind, &b.kind) {
            (Kind::List(a), Kind::List(b)) => {
                let item = Box::new(a.as_ref().clone().or(b.as_ref().clone()));
                (
                    1,
                    Term {
                        kind: Kind::List(item),
                        least,
                        most,
                    },
                )
            }
            (Kind::Text | Kind::Bytes, _) => (
                traversal(most),
                Term {
                    kind: a.kind.clone(),
                    least,
                    most,
                },
            ),
            (Kind::Any, _) => (traversal(most), Term::any()),
            (kind, _) => (1, Term::scalar(kind.clone())),
        }
    }

    fn needs(&mut self, operator: &str, terms: &[&Term], kind: &Kind) {
        for term in terms
            .iter()
            .filter(|term| term.kind.is_known() && term.kind != *kind)
        {
            self.wrong(format!(
                "applies `{}` to a {}",
                spelled(operator),
                term.kind.name()
            ));
        }
    }

    /// Both sides of an operator must have one type.
    fn alike(&mut self, operator: &str, a: &Term, b: &Term) {
        let comparable = |term: &Term| {
            matches!(
                term.kind,
                Kind::Bool
                    | Kind::Double
                    | Kind::Int
                    | Kind::List(_)
                    | Kind::Map(_)
                    | Kind::Optional(_)
                    | Kind::Text
            )
        };
        if comparable(a) && comparable(b) && a.kind != b.kind {
            self.wrong(format!(
                "applies `{}` to a {} and a {}",
                spelled(operator),
                a.kind.name(),
                b.kind.name()
            ));
        }
    }

    /// The parts of a text: what is not declared has, for the API server, the size of `self`.
    fn texts(&self, most: u64) -> Term<'a> {
        Term::new(
            Kind::List(Box::new(Term::new(Kind::Text, self.declared.most))),
            most,
        )
    }
}

fn spelled(operator: &str) -> String {
    operator.trim_matches('_').replace("_:_", ":")
}

/// What reading all of a text costs.
fn traversal(size: u64) -> u64 {
    share(size, 0.1)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded and saturated as the API server does"
)]
fn share(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// What a regular expression costs: a quarter for each character of it, on each tenth of the text.
fn matching(text: u64, pattern: u64) -> u64 {
    traversal(text.saturating_add(1)).saturating_mul(share(pattern, 0.25))
}

fn replaced(whole: &Term, from: &Term, to: &Term) -> u64 {
    if from.least == 0 {
        whole
            .most
            .saturating_add(1)
            .saturating_mul(to.most)
            .saturating_add(whole.most)
    } else if to.most <= from.least {
        whole.most
    } else {
        whole.most.div_ceil(from.least).saturating_mul(to.most)
    }
}

//! Costs of functions and operators: those of cel-go and of Kubernetes' `library.CostEstimator`.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

use super::size::{Size, replaced, share, traversal};
use super::{Entry, Estimator, LIST, PartialCost, PathStep, place_size};
use crate::crd::cel::functions::Overload;
use crate::crd::cel::value_type::ValueType;

/// Lengths of the longest named format and of the longest pattern of a format in the API server.
const LONGEST_FORMAT: u64 = 64;
const LONGEST_PATTERN: f64 = 128.0;
/// Cost of an authorization check.
const CHECK: u64 = 350_000;

/// A call with the estimates of its target and arguments.
struct CallCost<'p, 'a> {
    /// The name with its namespace, for example `sets.contains`.
    name: &'p str,
    /// The receiver of a method; `None` for a function.
    target: Option<(&'p IdedExpr, PartialCost<'a>)>,
    /// The expressions of the arguments.
    expressions: &'p [IdedExpr],
    arguments: Vec<PartialCost<'a>>,
}

impl CallCost<'_, '_> {
    fn size(&self, argument: usize) -> Size {
        self.arguments
            .get(argument)
            .map_or(Size::UNKNOWN, PartialCost::size)
    }

    /// Returns the value of an argument that is an integer literal.
    fn number(&self, argument: usize) -> Option<i64> {
        match &self.expressions.get(argument)?.expr {
            Expr::Literal(LiteralValue::Int(number)) => Some(*number.inner()),
            _ => None,
        }
    }
}

/// The cost of a call without its arguments, and the size of its result if it is computed.
type Priced = (u64, Option<Size>);

impl<'a> Estimator<'a> {
    /// Estimates a call. If several overloads may be called, the most expensive one counts.
    pub(super) fn call(&mut self, expression: &IdedExpr, call: &CallExpr) -> PartialCost<'a> {
        if let ("dyn", [argument]) = (call.func_name.as_str(), &call.args[..]) {
            let part = self.part(argument);
            return PartialCost {
                cost: part.cost.saturating_add(1),
                place: None,
                ..part
            };
        }
        let checked = self.checked;
        let (name, overloads) = match checked.calls.get(&expression.id) {
            Some((name, overloads)) => (name.as_str(), overloads.as_slice()),
            None => (call.func_name.as_str(), [].as_slice()),
        };
        // A namespace of functions is not a target.
        let target = call.target.as_ref().filter(|_| name == call.func_name);
        let target = target.map(|target| (target.as_ref(), self.part(target)));
        let arguments: Vec<_> = call
            .args
            .iter()
            .map(|argument| self.part(argument))
            .collect();
        let of_arguments = match (name, &arguments[..]) {
            // Only one of the branches runs.
            (operators::CONDITIONAL, [condition, yes, no]) => {
                condition.cost.saturating_add(yes.cost.max(no.cost))
            }
            _ => arguments
                .iter()
                .fold(0, |sum, part| u64::saturating_add(sum, part.cost)),
        };
        let of_target = target.as_ref().map_or(0, |(_, part)| part.cost);
        let call = CallCost {
            name,
            target,
            expressions: &call.args,
            arguments,
        };
        let mut made = PartialCost {
            entry: entry(&call),
            ..PartialCost::default()
        };
        let mut own = u64::from(overloads.is_empty());
        for overload in overloads {
            let (cost, size) = self.price(&call, overload);
            own = own.max(cost);
            if let Some(size) = size {
                made.size = Some(made.size.map_or(size, |known| known.or(size)));
            }
            if let (operators::INDEX, Some(of)) = (call.name, call.arguments.first()) {
                let is_place = matches!(
                    overload.arguments.first(),
                    Some(ValueType::List(_) | ValueType::Map(..))
                );
                if is_place {
                    made.size = of.entry.map(|entry| entry.value);
                    made.place = self.step(of.place, PathStep::Inner);
                }
            }
        }
        made.size = made
            .size
            .or_else(|| self.natural_size(expression, made.place));
        made.cost = of_target.saturating_add(of_arguments).saturating_add(own);
        made
    }

    /// Returns the cost of a call of an overload.
    fn price(&self, call: &CallCost<'_, 'a>, overload: &Overload) -> Priced {
        if let Some(priced) = self.price_of_list(call, overload) {
            return priced;
        }
        let first = || call.size(0);
        let given = overload.arguments.first();
        match (call.name, &call.target) {
            (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => (0, None),
            (operators::CONDITIONAL, _) => (0, Some(call.size(1).or(call.size(2)))),
            (operators::EQUALS, _) if self.is_cheap(call) => (1, None),
            (operators::EQUALS, _) if self.is_opaque(call, "kubernetes.NamedFormat") => {
                (traversal(LONGEST_FORMAT), None)
            }
            (operators::EQUALS, _) if self.is_opaque(call, "kubernetes.URL") => {
                let most = call.arguments.get(1).and_then(|part| part.size);
                (traversal(most.map_or(1, |size| size.most)), None)
            }
            (operators::EQUALS | operators::NOT_EQUALS, _) => {
                (traversal(first().most.min(call.size(1).most)), None)
            }
            (
                operators::LESS
                | operators::LESS_EQUALS
                | operators::GREATER
                | operators::GREATER_EQUALS,
                _,
            ) if is_text(given) => (traversal(first().most.min(call.size(1).most)), None),
            (operators::ADD, _) if matches!(given, Some(ValueType::List(_))) => {
                (1, Some(first().plus(call.size(1))))
            }
            (operators::ADD, _) if is_text(given) => {
                let size = first().plus(call.size(1));
                (traversal(size.most), Some(size))
            }
            (operators::IN, _) if matches!(overload.arguments.get(1), Some(ValueType::List(_))) => {
                (call.size(1).most, None)
            }
            ("string", None) if given == Some(&ValueType::Bytes) => {
                let size = first();
                let least = size.least / 4;
                (traversal(size.most), Some(Size { least, ..size }))
            }
            ("bytes", None) if given == Some(&ValueType::Text) => {
                let size = first();
                let most = size.most.saturating_mul(4);
                (traversal(size.most), Some(Size { most, ..size }))
            }
            ("strings.quote", _) => {
                let size = first();
                let most = size.most.saturating_mul(2).saturating_add(2);
                (traversal(size.most), Some(Size { most, ..size }))
            }
            (name, Some((_, target))) => method(name, target.size(), call, overload),
            (name, None) => function(name, call),
        }
    }

    /// Returns the cost of a function on lists; `None` for other functions.
    fn price_of_list(&self, call: &CallCost<'_, 'a>, overload: &Overload) -> Option<Priced> {
        let of_sets = |factor| {
            let pairs = call.size(0).times(call.size(1));
            Some((share(pairs.most, factor).saturating_add(1), None))
        };
        match call.name {
            "sets.contains" | "sets.intersects" => return of_sets(1.0),
            "sets.equivalent" => return of_sets(2.0),
            "lists.range" => {
                let count = call.number(0).map_or(u64::MAX, |n| n.max(0).unsigned_abs());
                return Some(made_list(1.0, Size::exactly(count)));
            }
            _ => {}
        }
        let (list, part) = call.target.as_ref()?;
        let size = part.size();
        Some(match call.name {
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
                let ValueType::List(item) = self.type_of(list) else {
                    return Some((traversal(size.most), None));
                };
                let each = if is_text(Some(item)) {
                    let place = part
                        .place
                        .and_then(|place| self.step(Some(place), PathStep::Inner));
                    let item = place_size(place).unwrap_or(Size::UNKNOWN);
                    traversal(item.most).saturating_add(1)
                } else {
                    1
                };
                (size.most.saturating_mul(each), None)
            }
            "join" => {
                let place = part
                    .place
                    .and_then(|place| self.step(Some(place), PathStep::Inner));
                let item = place_size(place).unwrap_or(Size::UNKNOWN);
                let mut made = match self.type_of(list) {
                    ValueType::List(_) => size.times(item),
                    _ => Size::up_to(0),
                };
                if !call.arguments.is_empty() {
                    let between = Size {
                        least: size.least.saturating_sub(1),
                        most: size.most.saturating_sub(1),
                    };
                    made = made.plus(call.size(0).times(between));
                }
                (traversal(made.most), Some(made))
            }
            "slice" => {
                let start = call.number(0).map_or(0, |n| n.max(0).unsigned_abs());
                let end = call
                    .number(1)
                    .map_or(size.most, |n| n.max(0).unsigned_abs());
                made_list(1.0, Size::exactly(end.wrapping_sub(start)))
            }
            "reverse" => made_list(1.0, size),
            "flatten" => {
                let depth = if call.arguments.is_empty() {
                    1.0
                } else {
                    depth(call.number(0))
                };
                made_list(depth, size)
            }
            "distinct" => made_list(2.0, size.times(size)),
            "sort" => made_list(sorting(overload.arguments.first()), size.times(size)),
            "@sortByAssociatedKeys" => {
                let keys = call.size(0);
                made_list(sorting(overload.arguments.get(1)), keys.times(keys))
            }
            _ => return None,
        })
    }

    fn is_opaque(&self, call: &CallCost, name: &str) -> bool {
        call.expressions.iter().all(
            |argument| matches!(self.type_of(argument), ValueType::Opaque(of, _) if of == name),
        )
    }

    /// Returns true if the comparison of two library values has a constant cost.
    fn is_cheap(&self, call: &CallCost) -> bool {
        const CHEAP: [&str; 4] = [
            "kubernetes.Quantity",
            "kubernetes.Semver",
            "net.CIDR",
            "net.IP",
        ];
        CHEAP.iter().any(|name| self.is_opaque(call, name))
    }
}

/// Returns the sizes of the entries of a list or map that an operator creates from others.
fn entry(call: &CallCost) -> Option<Entry> {
    let [.., a, b] = &call.arguments[..] else {
        return None;
    };
    match call.name {
        operators::CONDITIONAL | operators::ADD => Some(a.entry?.or(b.entry?)),
        _ => None,
    }
}

/// Returns the cost of a method, given the size of its target.
fn method(name: &str, size: Size, call: &CallCost, overload: &Overload) -> Priced {
    /// Cost of comparing two addresses.
    const ADDRESSES: u64 = 4;
    const MASK: u64 = 3;
    let parsed = |argument: usize| {
        let is_text = overload.arguments.get(argument + 1) == Some(&ValueType::Text);
        if is_text {
            traversal(call.size(argument).most)
        } else {
            0
        }
    };
    match name {
        "startsWith" | "endsWith" | "fieldSelector" | "labelSelector" => {
            (traversal(call.size(0).most), None)
        }
        "contains" => {
            let part = traversal(call.size(0).most);
            (traversal(size.most).saturating_mul(part), None)
        }
        "matches" => (matching(size, call.size(0)), None),
        "find" | "findAll" => (matching(size, call.size(0)), Some(Size::up_to(size.most))),
        "lowerAscii" | "upperAscii" | "substring" | "trim" => (traversal(size.most), Some(size)),
        "replace" => {
            let made = replaced(size, call.size(0), call.size(1));
            (share(size.most, 0.2), Some(made))
        }
        "split" => {
            // A negative limit means no limit, and the API server treats it as a large unsigned
            // number.
            let limit = call.number(1).map(i64::cast_unsigned);
            let made = Size::up_to(limit.unwrap_or(size.most));
            (share(size.most, 0.2), Some(made))
        }
        "format" => (traversal(size.most), None),
        "validate" => {
            let pattern = LONGEST_PATTERN * 0.25;
            (share(traversal(call.size(0).most), pattern), None)
        }
        "containsIP" => (ADDRESSES.saturating_add(parsed(0)), None),
        "containsCIDR" => ((ADDRESSES + MASK).saturating_add(parsed(0)), None),
        "check" => (CHECK, None),
        _ => (1, None),
    }
}

fn function(name: &str, call: &CallCost) -> Priced {
    let size = call.size(0);
    match name {
        "url" => (traversal(size.most), Some(size)),
        "cidr" | "ip" | "isCIDR" | "isIP" | "isQuantity" | "isSemver" | "quantity" | "semver" => {
            (traversal(size.most), None)
        }
        // Kubernetes before 1.37 charges 1 for this function, which is not the method.
        "matches" => (matching(size, call.size(1)), None),
        "ip.isCanonical" => (share(size.most, 0.2), None),
        _ => (1, None),
    }
}

fn is_text(of: Option<&ValueType>) -> bool {
    matches!(of, Some(ValueType::Text | ValueType::Bytes))
}

/// Returns the cost of creating a list.
fn made_list(factor: f64, size: Size) -> Priced {
    let cost = share(size.most, factor).saturating_add(LIST + 1);
    (cost, Some(size))
}

fn sorting(list: Option<&ValueType>) -> f64 {
    match list {
        Some(ValueType::List(item)) if is_text(Some(item)) => 2.1,
        _ => 2.0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a factor")]
fn depth(number: Option<i64>) -> f64 {
    number.map_or(u64::MAX as f64, |depth| depth.max(0) as f64)
}

/// Returns the cost of matching a regular expression: 0.25 per character of the pattern for every
/// 10 characters of the text.
fn matching(text: Size, pattern: Size) -> u64 {
    traversal(text.most.saturating_add(1)).saturating_mul(share(pattern.most, 0.25))
}

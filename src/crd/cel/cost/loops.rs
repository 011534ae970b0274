//! What runs over a list or a map, and declares variables for it.

use cel::common::ast::{ComprehensionExpr, Expr, IdedExpr};

use super::Estimator;
use crate::crd::cel::term::{Kind, Term};

impl<'a> Estimator<'a> {
    /// What the parser makes of `all`, `exists`, `map` and `filter`.
    pub(super) fn comprehension(&mut self, loop_: &ComprehensionExpr) -> (u64, Term<'a>) {
        let (range_cost, range) = self.cost(&loop_.iter_range);
        let (start_cost, start) = self.cost(&loop_.accu_init);
        let is_list = matches!(start.kind, Kind::List(_) | Kind::Map(_));
        let (key, value) = match range.kind {
            Kind::List(item) => (Term::scalar(Kind::Int), *item),
            Kind::Map(value) => (Term::new(Kind::Text, 0), *value),
            Kind::Any => (Term::any(), Term::any()),
            kind => {
                self.wrong(format!(
                    "runs over a {}, which is no list and no map",
                    kind.name()
                ));
                (Term::any(), Term::any())
            }
        };
        let mut bound = vec![(loop_.accu_var.clone(), start)];
        if let Some(second) = &loop_.iter_var2 {
            bound.extend([(loop_.iter_var.clone(), key), (second.clone(), value)]);
        } else {
            let is_key = key.kind == Kind::Text;
            bound.push((loop_.iter_var.clone(), if is_key { key } else { value }));
        }
        for (name, term) in &bound {
            self.locals
                .entry(name.clone())
                .or_default()
                .push(term.clone());
        }
        let (condition, _) = self.cost(&loop_.loop_cond);
        let (step, stepped) = self.cost(&loop_.loop_step);
        let (result, term) = self.cost(&loop_.result);
        for (name, _) in &bound {
            self.locals.get_mut(name).map(Vec::pop);
        }
        let each = condition.saturating_add(step);
        let cost = [
            range_cost,
            start_cost,
            result,
            range.most.saturating_mul(each),
        ];
        let cost = cost.into_iter().fold(0, u64::saturating_add);
        let term = if is_list {
            Term {
                kind: stepped.kind,
                least: 0,
                most: range.most,
            }
        } else {
            term
        };
        (cost, term)
    }

    /// A macro that the parser leaves as it is, with the variables that it declares. Its cost is a guess.
    pub(super) fn unexpanded(
        &mut self,
        name: &str,
        target: &IdedExpr,
        arguments: &[IdedExpr],
    ) -> (u64, Term<'a>) {
        let (cost, range) = self.cost(target);
        self.needs_optional(name, &range);
        let guess = self.guess();
        let Some((body, variables)) = arguments.split_last() else {
            return (cost, guess);
        };
        let (times, value) = match range.kind {
            Kind::List(item) | Kind::Map(item) => (range.most, *item),
            Kind::Optional(inner) => (1, *inner),
            _ => (1, guess.clone()),
        };
        let names: Vec<_> = variables
            .iter()
            .filter_map(|variable| match &variable.expr {
                Expr::Ident(name) => Some(name.clone()),
                _ => None,
            })
            .collect();
        for (n, name) in names.iter().enumerate() {
            let is_last = n + 1 == names.len();
            let term = if is_last {
                value.clone()
            } else {
                guess.clone()
            };
            self.locals.entry(name.clone()).or_default().push(term);
        }
        let (each, _) = self.cost(body);
        for name in &names {
            self.locals.get_mut(name).map(Vec::pop);
        }
        let is_test = name.starts_with("all") || name.starts_with("exists");
        let term = if is_test {
            Term::scalar(Kind::Bool)
        } else {
            guess
        };
        (cost.saturating_add(times.saturating_mul(each)), term)
    }
}

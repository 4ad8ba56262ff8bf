//! A smaller model that is still wrong.

use crate::syntax::{Expr, Head, Item, Kind, Model, boolean, integer};

/// Makes a model smaller as long as `fails`, asking at most n times.
pub fn shrink(model: &Model, mut asks: usize, fails: impl Fn(&Model) -> bool) -> Model {
    let mut best = model.clone();
    'better: loop {
        for smaller in candidates(&best) {
            if asks == 0 {
                return best;
            }
            asks -= 1;
            if smaller != best && fails(&smaller) {
                best = smaller;
                continue 'better;
            }
        }
        return best;
    }
}

/// Models with one thing less, the largest things first.
fn candidates(model: &Model) -> Vec<Model> {
    let mut all = vec![];
    for m in 0..model.modules.len() {
        if model.modules[m].name != "main" {
            let mut smaller = model.clone();
            smaller.modules.remove(m);
            all.push(smaller);
        }
        for i in 0..model.modules[m].items.len() {
            let mut smaller = model.clone();
            smaller.modules[m].items.remove(i);
            all.push(smaller);
        }
    }
    for (m, module) in model.modules.iter().enumerate() {
        for (i, item) in module.items.iter().enumerate() {
            for smaller in items(item) {
                let mut with = model.clone();
                with.modules[m].items[i] = smaller;
                all.push(with);
            }
        }
    }
    all
}

fn items(item: &Item) -> Vec<Item> {
    match item {
        Item::Variable(storage, name, kind) => {
            kinds(kind).into_iter().map(|kind| Item::Variable(storage, name.clone(), kind)).collect()
        }
        Item::Define(name, body) => {
            expressions(body).into_iter().map(|body| Item::Define(name.clone(), body)).collect()
        }
        Item::Assign(when, target, value) => {
            expressions(value).into_iter().map(|value| Item::Assign(when, target.clone(), value)).collect()
        }
        Item::Section(word, body) => {
            expressions(body).into_iter().map(|body| Item::Section(word, body)).collect()
        }
        Item::Constants(_) => vec![],
    }
}

fn kinds(kind: &Kind) -> Vec<Kind> {
    match kind {
        Kind::Boolean => vec![],
        Kind::Enumeration(values) => {
            let without = |i: usize| {
                let mut values = values.clone();
                values.remove(i);
                Kind::Enumeration(values)
            };
            if values.len() > 1 { (0..values.len()).map(without).collect() } else { vec![] }
        }
        Kind::Range(low, high) => match (&low.head, &high.head) {
            (Head::Integer(a), Head::Integer(b)) if a < b => {
                vec![
                    Kind::Range(low.clone(), integer(b - 1)),
                    Kind::Range(integer(a + 1), high.clone()),
                    Kind::Boolean,
                ]
            }
            _ => vec![],
        },
        Kind::Array(low, high, of) => {
            kinds(of).into_iter().map(|of| Kind::Array(low.clone(), high.clone(), of.into())).collect()
        }
        Kind::Instance(module, arguments) => {
            let mut all = vec![];
            for (i, argument) in arguments.iter().enumerate() {
                for smaller in expressions(argument) {
                    let mut arguments = arguments.clone();
                    arguments[i] = smaller;
                    all.push(Kind::Instance(module.clone(), arguments));
                }
            }
            all
        }
    }
}

fn expressions(body: &Expr) -> Vec<Expr> {
    if body.operands.is_empty() {
        let simple = [boolean(true), boolean(false), integer(0), integer(1)];
        let already = matches!(body.head, Head::Boolean(_) | Head::Integer(0 | 1));
        return if already { vec![] } else { simple.to_vec() };
    }
    let mut all = vec![boolean(true), boolean(false), integer(0), integer(1)];
    all.extend(body.operands.iter().cloned());
    match body.head {
        Head::Case if body.operands.len() > 2 => {
            for i in (0..body.operands.len()).step_by(2) {
                let mut smaller = body.clone();
                smaller.operands.drain(i..i + 2);
                all.push(smaller);
            }
        }
        Head::Set if body.operands.len() > 1 => {
            for i in 0..body.operands.len() {
                let mut smaller = body.clone();
                smaller.operands.remove(i);
                all.push(smaller);
            }
        }
        _ => {}
    }
    for (i, operand) in body.operands.iter().enumerate() {
        for smaller in expressions(operand) {
            let mut with = body.clone();
            with.operands[i] = smaller;
            all.push(with);
        }
    }
    all
}

//! Objects as leaves: scalars, or arrays of scalars of one or more dimensions.
//!
//! `struct { int x; bool y[3]; } a[4]` has the leaf `.x` with the dimension 4 and the leaf `.y` with the dimensions 4 and 3.
//! An address that is known up to computed indices belongs to one leaf, and to one index for each of its dimensions.

use crate::value::Pointer;
use selvedge_ir::{BinaryOp, Expr};
use selvedge_llvm::Module;
use selvedge_llvm::types::{Type, TypeId};

/// What a leaf holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Integers.
    Int,
    /// Addresses.
    Pointer,
    /// Mutexes.
    Mutex,
    /// Condition variables.
    Condvar,
    /// Barriers.
    Barrier,
    /// Semaphores and other locks: the number that they are, in 32 bits.
    Counter,
    /// Something that cannot be translated.
    Other,
}

/// A dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The bytes from one element to the next.
    pub stride: u64,
    /// How many elements.
    pub count: u64,
}

/// A scalar, or an array of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Where the first element is, in bytes.
    pub offset: u64,
    /// The bits of an element.
    pub bits: u32,
    /// What an element is.
    pub kind: Kind,
    /// The dimensions, the outermost first.
    pub dimensions: Vec<Dimension>,
    /// The way to it from the object, as in C.
    pub name: String,
}

impl Leaf {
    /// The number of elements.
    pub fn count(&self) -> u64 {
        self.dimensions.iter().map(|dimension| dimension.count).product()
    }

    /// The bytes of an element.
    pub fn bytes(&self) -> u64 {
        match self.kind {
            Kind::Int | Kind::Pointer | Kind::Other => u64::from(self.bits.div_ceil(8)).max(1),
            kind => size_of(kind),
        }
    }

    /// Where an element is, in bytes.
    pub fn offset_of(&self, mut element: u64) -> u64 {
        let mut offset = self.offset;
        for dimension in self.dimensions.iter().rev() {
            offset += element % dimension.count * dimension.stride;
            element /= dimension.count;
        }
        offset
    }
}

/// The kinds that have names, and the bits of those that are numbers.
const NAMED: [(&str, Kind); 7] = [
    ("union.pthread_mutex_t", Kind::Mutex),
    ("union.pthread_cond_t", Kind::Condvar),
    ("union.pthread_barrier_t", Kind::Barrier),
    ("union.sem_t", Kind::Counter),
    ("union.pthread_rwlock_t", Kind::Counter),
    ("union.mtx_t", Kind::Mutex),
    ("union.cnd_t", Kind::Condvar),
];

/// The bytes of what has a kind of its own.
pub fn size_of(kind: Kind) -> u64 {
    match kind {
        Kind::Mutex => 40,
        Kind::Condvar => 48,
        _ => 32,
    }
}

/// The leaves of a type, with the names that the debug information gives.
pub fn leaves(module: &Module, ty: TypeId, debug: Option<u32>) -> Vec<Leaf> {
    let mut found = Vec::new();
    let name = String::new();
    let all = Leaf { offset: 0, bits: 0, kind: Kind::Other, dimensions: Vec::new(), name };
    divide(module, ty, debug, &all, &mut found);
    found
}

fn divide(module: &Module, ty: TypeId, debug: Option<u32>, whole: &Leaf, found: &mut Vec<Leaf>) {
    let types = &module.types;
    let mut scalar = |bits, kind| found.push(Leaf { bits, kind, ..whole.clone() });
    if let Some(name) = types.name(ty)
        && let Some(&(_, kind)) = NAMED.iter().find(|(known, _)| name.starts_with(known))
    {
        return scalar(32, kind);
    }
    let debug = debug.and_then(|debug| plain(module, debug));
    match types.get(ty) {
        Type::Int(bits @ 1..=64) => scalar(*bits, Kind::Int),
        Type::Pointer => scalar(64, Kind::Pointer),
        Type::Array(count, element) => {
            let mut part = whole.clone();
            part.dimensions.push(Dimension { stride: types.size(*element), count: *count });
            let debug = debug.and_then(|debug| module.metadata.node(debug)?.reference("baseType"));
            divide(module, *element, debug, &part, found);
        }
        Type::Struct { fields, .. } => {
            for (number, &field) in fields.iter().enumerate() {
                let offset = types.field_offset(ty, number);
                let (name, debug) = member(module, debug, offset).unwrap_or((number.to_string(), None));
                let name = format!("{}.{name}", whole.name);
                divide(
                    module,
                    field,
                    debug,
                    &Leaf { offset: whole.offset + offset, name, ..whole.clone() },
                    found,
                );
            }
        }
        _ => scalar(0, Kind::Other),
    }
}

/// A described type without its other names.
fn plain(module: &Module, mut debug: u32) -> Option<u32> {
    loop {
        let node = module.metadata.node(debug)?;
        match node.kind.as_str() {
            "DIDerivedType" if node.text("tag") != Some("DW_TAG_pointer_type") => {
                debug = node.reference("baseType")?
            }
            _ => return Some(debug),
        }
    }
}

/// The name and type of the member at an offset.
fn member(module: &Module, debug: Option<u32>, offset: u64) -> Option<(String, Option<u32>)> {
    let elements = module.metadata.node(debug?)?.reference("elements")?;
    let members =
        module.metadata.node(elements)?.elements().filter_map(|number| module.metadata.node(number));
    let mut at = members.filter(|node| node.number("offset").unwrap_or(0) as u64 == offset * 8);
    let node = at.find(|node| node.text("name").is_some())?;
    Some((node.text("name")?.to_owned(), node.reference("baseType")))
}

/// An element of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The leaf, by its place among those of the object.
    pub leaf: usize,
    /// The element, known or computed.
    pub element: Element,
    /// Indices that must be within their dimension, where there are several dimensions.
    pub bounds: Vec<(Expr, u64)>,
}

/// Which element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// The one with this number.
    Known(u64),
    /// The one with the number that is computed.
    Computed(Expr),
}

/// The leaf and element that an address belongs to.
pub fn find(leaves: &[Leaf], pointer: &Pointer) -> Option<Spot> {
    leaves.iter().enumerate().find_map(|(number, leaf)| in_leaf(number, leaf, pointer))
}

fn in_leaf(number: usize, leaf: &Leaf, pointer: &Pointer) -> Option<Spot> {
    let mut rest = i128::from(pointer.constant) - i128::from(leaf.offset);
    let mut terms: Vec<&(Expr, i64)> = pointer.terms.iter().collect();
    let (mut known, mut computed, mut bounds) = (0u64, None, Vec::new());
    for (depth, dimension) in leaf.dimensions.iter().enumerate() {
        let (stride, count) = (dimension.stride.max(1) as i128, dimension.count);
        let (own, others): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|(_, factor)| i128::from(*factor) % stride == 0);
        terms = others;
        // The distance to the nearest element: a[i][j - 1] is in row i.
        let index =
            if own.is_empty() { rest.div_euclid(stride) } else { (rest + stride / 2).div_euclid(stride) };
        rest -= index * stride;
        if depth > 0 && !own.is_empty() && index != 0 {
            // The constant may belong to this index or to an outer one.
            return None;
        }
        if own.is_empty() && !(0..i128::from(count)).contains(&index) {
            return None;
        }
        let index = i64::try_from(index).ok()?;
        let scaled = own.iter().map(|(expr, factor)| times(expr.clone(), factor / stride as i64));
        let sum = scaled.reduce(plus).map(|sum| plus(sum, Expr::Int(index)));
        if let (Some(sum), true) = (&sum, leaf.dimensions.len() > 1) {
            bounds.push((sum.clone(), count));
        }
        computed = match (computed, sum) {
            (None, None) => None,
            (before, sum) => {
                let before = before.unwrap_or(Expr::Int(known as i64));
                Some(plus(times(before, count as i64), sum.unwrap_or(Expr::Int(index))))
            }
        };
        known = known.wrapping_mul(count).wrapping_add(index as u64);
    }
    if rest != 0 || !terms.is_empty() {
        return None;
    }
    let element = computed.map_or(Element::Known(known), Element::Computed);
    Some(Spot { leaf: number, element, bounds })
}

/// A sum, without what does nothing.
pub fn plus(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Int(a), Expr::Int(b)) => Expr::Int(a.wrapping_add(b)),
        (a, Expr::Int(0)) | (Expr::Int(0), a) => a,
        (a, b) => Expr::Binary { op: BinaryOp::Add, left: Box::new(a), right: Box::new(b) },
    }
}

fn times(a: Expr, factor: i64) -> Expr {
    match (a, factor) {
        (Expr::Int(a), factor) => Expr::Int(a.wrapping_mul(factor)),
        (a, 1) => a,
        (a, factor) => {
            Expr::Binary { op: BinaryOp::Mul, left: Box::new(a), right: Box::new(Expr::Int(factor)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::RegisterId;

    fn leaf(offset: u64, dimensions: &[(u64, u64)]) -> Leaf {
        let dimensions = dimensions.iter().map(|&(stride, count)| Dimension { stride, count }).collect();
        Leaf { offset, bits: 32, kind: Kind::Int, dimensions, name: String::new() }
    }

    fn at(constant: i64, terms: &[(u32, i64)]) -> Pointer {
        let terms = terms.iter().map(|&(r, f)| (Expr::Register(RegisterId(r)), f)).collect();
        Pointer { object: None, constant, terms }
    }

    #[test]
    fn an_address_belongs_to_one_leaf_and_element() {
        // struct { int x; int y[3]; } a[4]
        let leaves = [leaf(0, &[(16, 4)]), leaf(4, &[(16, 4), (4, 3)])];
        let known = |constant| find(&leaves, &at(constant, &[])).map(|spot| (spot.leaf, spot.element));
        assert_eq!(known(0), Some((0, Element::Known(0))));
        assert_eq!(known(40), Some((1, Element::Known(2 * 3 + 1))));
        assert_eq!(known(64), None);
        assert_eq!(known(2), None);
        let spot = find(&leaves, &at(16, &[(0, 16)])).unwrap();
        assert_eq!((spot.leaf, spot.bounds.len()), (0, 0));
        let spot = find(&leaves, &at(36, &[(0, 4)]));
        assert_eq!(spot.map(|spot| spot.leaf), Some(1));
        // a[2].y[i - 1] or a[1].y[i + 3]?
        assert!(find(&leaves, &at(32, &[(0, 4)])).is_none());
        assert!(find(&leaves, &at(0, &[(0, 2)])).is_none());
        assert_eq!(leaves[1].offset_of(7), 40);
    }
}

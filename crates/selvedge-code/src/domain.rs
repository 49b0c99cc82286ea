//! Operations on words, defined once over a [`Domain`] of values.
//!
//! A domain says what a value is and how it is added, shifted, compared. What an *operation* of LLVM is, in these terms, is said here: which operands
//! are extended by their sign, what must hold for the operation to have a result, which bits of the result count. So the words that run, the
//! words with bits in doubt beside them, and the numbers that a proof folds cannot differ in it. A domain of plain numbers is
//! monomorphic, and the compiler makes the same code of it as of the arithmetic itself.

use selvedge_llvm::instruction::{BinaryOperator, Predicate};

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// A shift by more bits than there are.
    Shift,
    /// A division by zero.
    Division,
    /// The quotient of the least number and -1.
    Quotient,
    /// A sum, a difference or a product that does not fit, where that is a failure.
    Overflow,
    /// A left shift that loses bits, where that would be a failure for signed numbers.
    ShiftOverflow,
}

/// A domain of values. Values are words of a fixed number of bits, of which an operation of fewer bits uses the lowest; the others are zero.
pub trait Domain {
    /// A word.
    type Value: Clone;
    /// A condition.
    type Truth: Clone;
    /// Why an evaluation ends without a result.
    type Stop;

    /// A number that is known.
    fn number(&mut self, number: u64) -> Self::Value;
    /// The sum, modulo the size of a word.
    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The difference, modulo the size of a word.
    fn sub(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The product, modulo the size of a word.
    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The bits that both have.
    fn and(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The bits that one of them has.
    fn or(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The bits in which they differ.
    fn xor(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The first moved up by the second, which is less than the bits of a word.
    fn shift_left(&mut self, a: Self::Value, by: Self::Value) -> Self::Value;
    /// The first moved down by the second, which is less than the bits of a word.
    fn shift_right(&mut self, a: Self::Value, by: Self::Value) -> Self::Value;
    /// The same of a signed word: its sign fills the upper bits.
    fn shift_right_signed(&mut self, a: Self::Value, by: Self::Value) -> Self::Value;
    /// The quotient; the second is not zero.
    fn quotient(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The rest; the second is not zero.
    fn remainder(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The quotient of signed words, which fits.
    fn signed_quotient(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The rest of signed words, the quotient of which fits.
    fn signed_remainder(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The lowest bits.
    fn low(&mut self, a: Self::Value, bits: u8) -> Self::Value;
    /// The lowest bits as a signed word.
    fn signed(&mut self, a: Self::Value, bits: u8) -> Self::Value;
    /// Whether they are equal.
    fn equal(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    /// Whether the first is less.
    fn less(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    /// Whether the first is less, of signed words of so many bits.
    fn signed_less(&mut self, bits: u8, a: Self::Value, b: Self::Value) -> Self::Truth;
    /// Whether the result of an operation on signed numbers of so many bits does not fit these.
    fn overflows(&mut self, op: BinaryOperator, bits: u8, a: Self::Value, b: Self::Value) -> Self::Truth;
    /// The opposite.
    fn not(&mut self, a: Self::Truth) -> Self::Truth;
    /// Whether both hold.
    fn both(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;

    /// Goes on only if a condition holds.
    ///
    /// # Errors
    /// When it does not.
    fn demand(&mut self, condition: Self::Truth, otherwise: Undefined) -> Result<(), Self::Stop>;
}

/// The result of an operator on words of so many bits. Those of floating-point numbers are no operators on words.
///
/// # Errors
/// When there is none.
#[inline(always)]
pub fn binary<D: Domain>(
    domain: &mut D,
    op: BinaryOperator,
    bits: u8,
    a: D::Value,
    b: D::Value,
) -> Result<D::Value, D::Stop> {
    use BinaryOperator as B;
    let result = match op {
        B::Add => domain.add(a, b),
        B::Sub => domain.sub(a, b),
        B::Mul => domain.mul(a, b),
        B::And => domain.and(a, b),
        B::Or => domain.or(a, b),
        B::Xor => domain.xor(a, b),
        B::Shl | B::LShr | B::AShr => {
            demand_shift(domain, bits, b.clone())?;
            match op {
                B::Shl => domain.shift_left(a, b),
                B::LShr => domain.shift_right(a, b),
                _ => {
                    let a = domain.signed(a, bits);
                    domain.shift_right_signed(a, b)
                }
            }
        }
        B::UDiv | B::URem => {
            demand_divisor(domain, b.clone())?;
            if op == B::UDiv { domain.quotient(a, b) } else { domain.remainder(a, b) }
        }
        B::SDiv | B::SRem => {
            demand_divisor(domain, b.clone())?;
            let (a, b) = (domain.signed(a, bits), domain.signed(b, bits));
            demand_quotient(domain, bits, a.clone(), b.clone())?;
            if op == B::SDiv { domain.signed_quotient(a, b) } else { domain.signed_remainder(a, b) }
        }
        B::FAdd | B::FSub | B::FMul | B::FDiv | B::FRem => domain.number(0),
    };
    Ok(domain.low(result, bits))
}

/// The same where a result that does not fit a signed number is a failure.
///
/// # Errors
/// When there is none, or it does not fit.
#[inline(always)]
pub fn checked<D: Domain>(
    domain: &mut D,
    op: BinaryOperator,
    bits: u8,
    a: D::Value,
    b: D::Value,
) -> Result<D::Value, D::Stop> {
    let otherwise = match op {
        BinaryOperator::Add | BinaryOperator::Sub | BinaryOperator::Mul => Undefined::Overflow,
        BinaryOperator::Shl => {
            demand_shift(domain, bits, b.clone())?;
            Undefined::ShiftOverflow
        }
        _ => return binary(domain, op, bits, a, b),
    };
    let overflows = domain.overflows(op, bits, a.clone(), b.clone());
    let fits = domain.not(overflows);
    domain.demand(fits, otherwise)?;
    binary(domain, op, bits, a, b)
}

/// The outcome of a comparison of words of so many bits.
#[inline(always)]
pub fn compare<D: Domain>(
    domain: &mut D,
    predicate: Predicate,
    bits: u8,
    a: D::Value,
    b: D::Value,
) -> D::Truth {
    use Predicate as P;
    match predicate {
        P::Eq => domain.equal(a, b),
        P::Ne => {
            let equal = domain.equal(a, b);
            domain.not(equal)
        }
        P::Ult => domain.less(a, b),
        P::Ugt => domain.less(b, a),
        P::Ule => {
            let more = domain.less(b, a);
            domain.not(more)
        }
        P::Uge => {
            let less = domain.less(a, b);
            domain.not(less)
        }
        P::Slt | P::Sgt | P::Sle | P::Sge => {
            let (a, b) = if matches!(predicate, P::Slt | P::Sge) { (a, b) } else { (b, a) };
            let less = domain.signed_less(bits, a, b);
            if matches!(predicate, P::Slt | P::Sgt) { less } else { domain.not(less) }
        }
    }
}

/// A signed number of some bits as one of others.
#[inline(always)]
pub fn sign_extend<D: Domain>(domain: &mut D, a: D::Value, from: u8, to: u8) -> D::Value {
    let signed = domain.signed(a, from);
    domain.low(signed, to)
}

/// An address and a multiple of a signed index of so many bits.
#[inline(always)]
pub fn element<D: Domain>(domain: &mut D, base: D::Value, index: D::Value, scale: u32, bits: u8) -> D::Value {
    let (index, scale) = (domain.signed(index, bits), domain.number(u64::from(scale)));
    let offset = domain.mul(index, scale);
    domain.add(base, offset)
}

#[inline(always)]
fn demand_shift<D: Domain>(domain: &mut D, bits: u8, by: D::Value) -> Result<(), D::Stop> {
    let limit = domain.number(u64::from(bits));
    let fits = domain.less(by, limit);
    domain.demand(fits, Undefined::Shift)
}

#[inline(always)]
fn demand_divisor<D: Domain>(domain: &mut D, divisor: D::Value) -> Result<(), D::Stop> {
    let zero = domain.number(0);
    let is_zero = domain.equal(divisor, zero);
    let is_divisor = domain.not(is_zero);
    domain.demand(is_divisor, Undefined::Division)
}

/// The operands are signed words.
#[inline(always)]
fn demand_quotient<D: Domain>(domain: &mut D, bits: u8, a: D::Value, b: D::Value) -> Result<(), D::Stop> {
    let (one, last, zero) = (domain.number(1), domain.number(u64::from(bits) - 1), domain.number(0));
    let lowest = domain.shift_left(one.clone(), last);
    let (least, minus_one) = (domain.signed(lowest, bits), domain.sub(zero, one));
    let (is_least, is_minus_one) = (domain.equal(a, least), domain.equal(b, minus_one));
    let does_not_fit = domain.both(is_least, is_minus_one);
    let fits = domain.not(does_not_fit);
    domain.demand(fits, Undefined::Quotient)
}

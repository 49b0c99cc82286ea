//! The premises of a translation: what a proof of the translated program takes for granted of the program in C.

use crate::Options;

/// What a proof of a translated program takes for granted of the program in C.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Premises {
    /// The program allocates memory, and allocation never fails.
    pub allocates: bool,
    /// An uninitialised value has become any value, so uses of it are not looked for.
    pub has_arbitrary_values: bool,
    /// What the program was translated for.
    pub options: Options,
}

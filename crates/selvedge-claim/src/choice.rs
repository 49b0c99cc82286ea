//! The reason for an algorithm that the program has chosen, in words.

use crate::scope::counted;
use selvedge_explore::auto::Reason;

/// Why an algorithm was chosen: the end of "chose it: …".
pub fn because(reason: Reason) -> String {
    match reason {
        Reason::OnlyOne => "nothing else that `auto` tries covers what is asked for".to_owned(),
        Reason::Finished { executions } => {
            format!("it explores everything in {}", counted(executions, "execution"))
        }
        Reason::Cut { executions } => {
            format!("it ends after {}, not all of which came to their ends", counted(executions, "execution"))
        }
        Reason::Violation { executions } => {
            format!("it finds a violation within {}", counted(executions, "execution"))
        }
        Reason::CostsLeast => "no probe came to an end, and it costs least for each execution".to_owned(),
    }
}

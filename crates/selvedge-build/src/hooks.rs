//! Hooks: what the binary does at an instruction that a schedule mentions, as LLVM IR that is inlined there.
//!
//! As long as nothing is to be controlled a hook is a load and a branch. While the prefix is being executed it counts down the executions of its instruction,
//! and only an execution that matters is a call.

/// The functions that hooks call, for a module with so many instructions in its schedule.
pub fn definitions(instructions: usize, pointers: Pointers) -> String {
    let text = TEMPLATE.replace("COUNT", &instructions.max(1).to_string());
    match pointers {
        Pointers::Typed => text,
        Pointers::Opaque => {
            let array = format!("[{} x i32]*", instructions.max(1));
            [&array, "i8**", "i8*", "i32*"].iter().fold(text, |text, typed| text.replace(*typed, "ptr"))
        }
    }
}

/// How a module writes pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointers {
    /// `i32*`, up to clang 14.
    Typed,
    /// `ptr`
    Opaque,
}

impl Pointers {
    /// How a text writes them.
    pub fn of(text: &str) -> Pointers {
        let is_opaque = |line: &str| {
            let code = line.split(", !dbg").next().unwrap_or(line);
            code.starts_with("  ") && (code.contains(" ptr ") || code.contains("(ptr "))
        };
        if text.lines().any(is_opaque) { Pointers::Opaque } else { Pointers::Typed }
    }
}

const TEMPLATE: &str = "
@selvedge_active = external thread_local(initialexec) global i32, align 4
@selvedge_pending = external thread_local(initialexec) global i32, align 4
@selvedge_line = external thread_local(initialexec) global i8*, align 8
@selvedge_left = thread_local(initialexec) global [COUNT x i32] zeroinitializer, align 64
declare i32 @selvedge_event(i32) nounwind
declare i32 @selvedge_event_call(i32) nounwind
declare void @selvedge_finish() nounwind
declare void @selvedge_wake(i8*, i32) nounwind cold

define internal i1 @selvedge_is_due(i32 %instruction) alwaysinline nounwind {
entry:
  %active = load i32, i32* @selvedge_active, align 4
  %passes = icmp eq i32 %active, 0
  br i1 %passes, label %pass, label %count
count:
  %at = getelementptr [COUNT x i32], [COUNT x i32]* @selvedge_left, i32 0, i32 %instruction
  %left = load i32, i32* %at, align 4
  %less = sub i32 %left, 1
  store i32 %less, i32* %at, align 4
  %due = icmp eq i32 %less, 0
  ret i1 %due
pass:
  ret i1 false
}

define internal i32 @selvedge_before(i32 %instruction) alwaysinline nounwind {
entry:
  %due = call i1 @selvedge_is_due(i32 %instruction)
  br i1 %due, label %event, label %pass
event:
  %number = call i32 @selvedge_event(i32 %instruction) cold
  ret i32 %number
pass:
  ret i32 0
}

define internal void @selvedge_after(i32 %number) alwaysinline nounwind {
entry:
  %none = icmp eq i32 %number, 0
  br i1 %none, label %done, label %publish
publish:
  %line = load i8*, i8** @selvedge_line, align 8
  %progress = bitcast i8* %line to i32*
  store atomic i32 %number, i32* %progress release, align 4
  fence syncscope(\"singlethread\") seq_cst
  %field = getelementptr i8, i8* %line, i64 4
  %field.typed = bitcast i8* %field to i32*
  %sleepers = load atomic i32, i32* %field.typed monotonic, align 4
  %nobody = icmp eq i32 %sleepers, 0
  br i1 %nobody, label %done, label %wake
wake:
  call void @selvedge_wake(i8* %line, i32 %number) cold
  br label %done
done:
  ret void
}

define internal void @selvedge_before_call(i32 %instruction) alwaysinline nounwind {
entry:
  %due = call i1 @selvedge_is_due(i32 %instruction)
  br i1 %due, label %event, label %pass
event:
  %number = call i32 @selvedge_event_call(i32 %instruction) cold
  ret void
pass:
  ret void
}

define internal void @selvedge_after_call() alwaysinline nounwind {
entry:
  %pending = load i32, i32* @selvedge_pending, align 4
  %none = icmp eq i32 %pending, 0
  br i1 %none, label %done, label %publish
publish:
  call void @selvedge_finish() cold
  br label %done
done:
  ret void
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_typed_pointer_is_left_among_opaque_ones() {
        let text = definitions(3, Pointers::Opaque);
        assert!(text.contains("getelementptr [3 x i32], ptr @selvedge_left") && !text.contains('*'));
        assert!(definitions(3, Pointers::Typed).contains("[3 x i32]* @selvedge_left"));
    }

    #[test]
    fn the_kind_of_pointers_is_seen() {
        assert_eq!(Pointers::of("  store i32 0, ptr %1, align 4\n"), Pointers::Opaque);
        assert_eq!(Pointers::of("  store i32 0, i32* %ptr, align 4, !dbg !3 ptr \n"), Pointers::Typed);
    }
}

// Checks: end the program with a message unless a condition holds for all instances.
//
//   let ok = check_numbers(#a == #b, #a, #b, "Length mismatch in function ZIP.", "lengths %a and %b") in …
//
// For any VCODE interpreter:
//
//   f = = INT n m    g = AND_REDUCE BOOL f all
//   IF g  ELSE  WRITE CHAR "RUNTIME ERROR: …"  EXIT
//
// For our own interpreter, which reports n and m of the first instance that fails:
//
//   f = = INT n m    REQUIRE n m f

#include "checks.h"

namespace nesl {

void Checks::check_flags(Var flags, const std::string& message, const std::optional<Told>& told) {
  if (told && !context_.target().print_checks)
    return require({told->a, told->b, flags}, Op::kRequire, message, told->words);
  if (context_.target().has_asserts()) return require({flags}, Op::kAssert, message, "");
  Var good =
      levels_.depth() == 0 ? flags : emit().op(Op::kAndReduce, Suffix::kBool, {flags, levels_.single(levels_.depth())});
  if (auto known = emit().known_integer(good); known && *known != 0) return;
  emit().conditional(
      good, [] { return std::vector<Var>{}; },
      [&] {
        if (context_.target().print_checks) write_message("\nRUNTIME ERROR: " + message + "\n");
        Location here = levels_.location(message);
        here.nest.insert(here.nest.begin(), flags);
        emit().op_all(Op::kExit, Suffix::kNone, {}, &here);
        return std::vector<Var>{};
      });
}

void Checks::require(std::vector<Var> operands, Op op, const std::string& message, const std::string& words) {
  const Location here = levels_.location(message, {}, words);
  if (const auto known = emit().known_integer(operands.back()); !known || *known == 0)
    emit().op(op, Suffix::kNone, std::move(operands), &here);
}

void Checks::check(const ValuePtr& condition, const std::string& message) {
  check_flags(levels_.lift_here(condition)->var, message, {});
}

void Checks::check_equal_lengths(Var a, Var b, const char* message, const char* words) {
  if (a == b) return;
  Var a_lengths = emit().op(Op::kLengths, Suffix::kNone, {a});
  Var b_lengths = emit().op(Op::kLengths, Suffix::kNone, {b});
  if (a_lengths == b_lengths) return;
  check_flags(emit().op(Op::kEqual, Suffix::kInt, {a_lengths, b_lengths}), message, Told{a_lengths, b_lengths, words});
}

void Checks::write_message(const std::string& text) {
  emit().op_all(Op::kWrite, Suffix::kChar, {values_.characters(text)});
}

}  // namespace nesl

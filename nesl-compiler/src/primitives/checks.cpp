// Checks: end the program with a message unless a condition holds for all instances.
//
//   let ok = check_numbers(#a == #b, #a, #b, "Length mismatch in function ZIP.", "lengths %a and %b") in …
//
//   f = = INT n m    REQUIRE n m f              the interpreter reports n and m of the first instance that fails

#include "checks.h"

namespace nesl {

void Checks::check_flags(Var flags, const std::string& message, const std::optional<Told>& told) {
  if (told) return require({told->a, told->b, flags}, Op::kRequire, message, told->words);
  require({flags}, Op::kAssert, message, "");
}

void Checks::require(std::vector<Var> operands, Op op, const std::string& message, const std::string& words) {
  const Location here = levels_.location(message, {}, words);
  if (const auto known = emit().known_integer(operands.back()); !known || *known == 0)
    emit().op(op, Suffix::kNone, std::move(operands), &here);
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

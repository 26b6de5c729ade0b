#pragma once

#include <optional>
#include <string>
#include <vector>

#include "whole_values.h"

namespace nesl {

/// Checks that end the program with a message unless a condition holds for all instances.
class Checks {
 public:
  /// Values in the message of a failed check: two INTs of the failing instance, and the words for them, with %a and %b.
  struct Told {
    Var a, b;
    std::string words;
  };
  Checks(FlattenContext& context, Levels& levels, WholeValues& values)
      : context_(context), levels_(levels), values_(values) {}

  /// Emits a check of the flags, which are, like all operands of checks, at the current nesting level.
  void check_flags(Var flags, const std::string& message, const std::optional<Told>& told);
  void check_equal_lengths(Var a, Var b, const char* message, const char* words = "lengths %a and %b");
  void write_message(const std::string& text);

 private:
  Emitter& emit() { return levels_.emit(); }
  /// Emits REQUIRE or ASSERT; the flags are the last operand.
  void require(std::vector<Var> operands, Op op, const std::string& message, const std::string& words);

  FlattenContext& context_;
  Levels& levels_;
  WholeValues& values_;
};

}  // namespace nesl

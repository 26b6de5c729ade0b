#pragma once

#include <bitset>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// The operations that the interpreter of a program has.
class Target {
 public:
  /// All operations of the table: our own interpreter.
  static Target all();
  /// The operations of the VCODE of 1995, and those extensions that can_expand() does not know.
  static Target vcode_1995();

  bool has(Op op) const { return has_[static_cast<std::size_t>(op)]; }
  bool has_all() const { return has_.all(); }
  void remove(Op op) { has_.reset(static_cast<std::size_t>(op)); }

 private:
  std::bitset<kOps> has_;
};

/// Whether legalize() can replace an operation by others.
bool can_expand(Op op);

/// Replaces the operations that a target lacks by others, down to the VCODE of 1995. Each operation that is removed
/// from the target must be one that can_expand() knows. Results and messages of the program stay the same.
void legalize(Program& program, const Target& target);

}  // namespace vcode::letform

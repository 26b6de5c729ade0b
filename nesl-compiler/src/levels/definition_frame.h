#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "flat_value.h"

namespace nesl {

/// Values of expressions evaluated ahead of the enclosing expressions, because joined calls need them.
struct Ready {
  std::unordered_map<const Expr*, ValuePtr> values = {};
  std::vector<const Expr*> order = {};  ///< keys of `values`, in the order of evaluation
  /// Conditionals whose branches have been evaluated in part, for the instances that take them; the remaining parts
  /// must be evaluated for the same instances.
  std::set<const Expr*> packed = {};

  const ValuePtr* find(const Expr& expr) const;
  void set(const Expr& expr, ValuePtr value);
  /// Drops all entries but the first `size`.
  void shrink(std::size_t size);
};

/// Local variables and types of the definition whose text is being compiled, inlined or not.
struct Frame {
  const Definition* definition = nullptr;  ///< null for a top-level statement
  const base::Source* source = nullptr;
  SubstitutionPtr substitution;
  bool prelude = false;                    ///< the text is part of the prelude: its locations mean nothing to the user
  std::uint32_t inlined = vcode::kNoCall;  ///< the call in the user's program that the text is inlined for
  std::unordered_map<std::uint32_t, ValuePtr> locals = {};
  Ready ready = {};
};

/// Current location in the user's program, for error messages.
struct Position {
  const base::Source* source = nullptr;
  Span span = {};
  const Definition* function = nullptr;
};

}  // namespace nesl

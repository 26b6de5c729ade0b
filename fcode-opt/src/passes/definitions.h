#pragma once

#include <array>
#include <vector>

#include "constant_pool.h"

namespace vcode::letform {

/// How the values of a function are computed, as far as a pass has come.
class Definitions {
 public:
  explicit Definitions(std::size_t values) : definitions_(values) {}

  /// An operation with one result, or a constant.
  struct Definition {
    Binding::Form form = Binding::Form::kCall;  ///< kCall: nothing is known
    Op op = Op::kExit;
    Suffix suffix = Suffix::kNone;
    std::uint32_t target = 0;
    std::array<Var, Signature::kMaxRoles> operands = {};
  };

  void note(const Binding& binding);
  const Definition& of(Var v) const { return definitions_[v]; }
  bool is_op(Var v, Op op) const { return definitions_[v].form == Binding::Form::kOp && definitions_[v].op == op; }
  /// The constant a value is, or nothing.
  const Constant* constant(Var v, const ConstantPool& pool) const {
    return definitions_[v].form == Binding::Form::kConst ? &pool[definitions_[v].target] : nullptr;
  }
  /// The scalar constant that every element of a value is, or nothing.
  const Constant* uniform(Var v, const ConstantPool& pool) const {
    while (is_op(v, Op::kDist)) v = definitions_[v].operands[0];
    const Constant* found = constant(v, pool);
    return found && found->size() == 1 ? found : nullptr;
  }

 private:
  std::vector<Definition> definitions_;
};

/// The value an operation yields, if there is one already: NOT (NOT x) is x. Otherwise kNoVar.
Var known_result(const Binding& operation, const Definitions& definitions, const ConstantPool& pool);

}  // namespace vcode::letform

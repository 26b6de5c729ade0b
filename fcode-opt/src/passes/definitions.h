#pragma once

#include <array>
#include <vector>

#include "base/check.h"
#include "constant_pool.h"

namespace vcode::letform {

/// Definitions of a function's values in the bindings that a pass has visited.
class Definitions {
 public:
  explicit Definitions(std::size_t values) : definitions_(values) {}

  /// An operation with one result, a constant, or a result of an IF, whose operands are the results of its blocks.
  struct Definition {
    Binding::Form form = Binding::Form::kCall;  ///< kCall: unknown
    Op op = Op::kExit;
    Suffix suffix = Suffix::kNone;
    std::uint32_t target = 0;
    std::array<Var, Signature::kMaxRoles> operands = {};
  };

  void note(const Binding& binding);
  const Definition& of(Var v) const {
    VC_CHECK(v < definitions_.size());
    return definitions_[v];
  }
  bool is_op(Var v, Op op) const { return of(v).form == Binding::Form::kOp && of(v).op == op; }
  /// The constant that a value is, or null.
  const Constant* constant(Var v, const ConstantPool& pool) const {
    return of(v).form == Binding::Form::kConst ? &pool[of(v).target] : nullptr;
  }
  /// The scalar constant that equals every element of a value, or null.
  const Constant* uniform(Var v, const ConstantPool& pool) const {
    while (is_op(v, Op::kDist)) v = of(v).operands[0];
    const Constant* found = constant(v, pool);
    return found && found->size() == 1 ? found : nullptr;
  }

 private:
  std::vector<Definition> definitions_;
};

/// An existing value that equals the result of an operation, as x for NOT (NOT x); kNoVar if there is none.
Var known_result(const Binding& operation, const Definitions& definitions, const ConstantPool& pool);

}  // namespace vcode::letform

#include "working_set.h"

#include <vector>

#include "ir/walk.h"

namespace vcode::letform {
namespace {

/// Number of elements for each instance up to which sequences count as short.
constexpr std::int64_t kShort = 32;
/// Number of steps after which the computation of a length is not followed any further.
constexpr int kMostSteps = 64;

class WorkingSet {
 public:
  WorkingSet(const Program& program, const Function& function)
      : program_(program), function_(function), made_by_(function.values.size()), is_returned_(function.values.size()) {
    for_each_binding(function.body, [&](const Binding& binding) {
      for (Var v : binding.results) made_by_[v] = &binding;
    });
    for (Var v : function.body.results)
      if (is_descriptor(v)) note_returned(v);
    while (!found_.empty()) {
      const Var v = found_.back();
      found_.pop_back();
      follow(v);
    }
  }

  bool outgrows_operands() const {
    bool any = false;
    for_each_binding(function_.body, [&](const Binding& binding) {
      if (binding.form != Binding::Form::kOp || binding.op != Op::kMakeSegdes || is_returned_[binding.results[0]])
        return;
      int steps = kMostSteps;
      any = any || are_new(binding.operands[0], steps);
    });
    return any;
  }

 private:
  bool is_descriptor(Var v) const { return function_.values[v].kind == Kind::kSegdes; }

  /// Notes a value that is a returned descriptor, or from which the lengths of one are computed.
  void note_returned(Var v) {
    if (is_returned_[v]) return;
    is_returned_[v] = true;
    found_.push_back(v);
  }

  void follow(Var v) {
    const Binding* const binding = made_by_[v];
    if (binding == nullptr) return;
    if (binding->form == Binding::Form::kIf) {
      for (const Block& block : binding->blocks)
        for (std::size_t k = 0; k < block.results.size(); ++k)
          if (binding->results[k] == v) note_returned(block.results[k]);
    } else if (binding->form == Binding::Form::kOp) {
      // The value is made of lengths, of operands from which lengths are computed, or of numbers for each element of a
      // sequence.
      const Op op = binding->op;
      const bool has_size = op == Op::kLengths || op == Op::kElements || op == Op::kDist || op == Op::kIndex;
      for (Var operand : binding->operands)
        if (has_size || function_.values[operand].kind == Kind::kInt) note_returned(operand);
    }
  }

  /// Whether lengths may be larger than those of existing descriptors and their sums. Follows at most `steps` steps.
  bool are_new(Var lengths, int& steps) const {
    const Binding* const binding = made_by_[lengths];
    if (binding == nullptr || --steps == 0) return true;
    if (binding->form != Binding::Form::kOp) return !is_short(lengths);
    if (info(binding->op).counts() || binding->op == Op::kSumReduce) return false;
    switch (binding->op) {
      case Op::kPack:
      case Op::kSubtract:
        return are_new(binding->operands[0], steps);
      case Op::kAdd:
        return are_new(binding->operands[0], steps) || are_new(binding->operands[1], steps);
      case Op::kSelect:
        return are_new(binding->operands[1], steps) || are_new(binding->operands[2], steps);
      case Op::kDist:
        return !is_short(binding->operands[0]);
      default:
        return true;
    }
  }

  bool is_short(Var length) const {
    const Binding* const binding = made_by_[length];
    if (binding == nullptr || binding->form != Binding::Form::kConst) return false;
    const Constant& constant = program_.constants[binding->target];
    return constant.ints.size() == 1 && constant.ints[0] <= kShort;
  }

  const Program& program_;
  const Function& function_;
  std::vector<const Binding*> made_by_;
  std::vector<bool> is_returned_;
  std::vector<Var> found_;
};

}  // namespace

bool outgrows_operands(const Program& program, const Function& function) {
  return WorkingSet(program, function).outgrows_operands();
}

}  // namespace vcode::letform

#include <unordered_map>
#include <utility>

#include "constant_pool.h"
#include "dead_bindings.h"
#include "definitions.h"
#include "facts.h"
#include "fold.h"
#include "lengths.h"

namespace vcode::letform {
namespace {

using Form = Binding::Form;

/// What two bindings must have in common to have the same results.
struct Expression {
  Form form;
  Op op;
  Suffix suffix;
  std::uint32_t target;
  std::vector<Var> operands;
  friend bool operator==(const Expression&, const Expression&) = default;
};

struct ExpressionHash {
  std::size_t operator()(const Expression& e) const {
    std::size_t hash = static_cast<std::size_t>(e.form) << 16 | static_cast<std::size_t>(e.op) << 8 |
                       static_cast<std::size_t>(e.suffix);
    auto mix = [&](std::uint64_t more) { hash = (hash ^ more) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29; };
    mix(e.target);
    for (Var v : e.operands) mix(v);
    return hash;
  }
};

/// Rewrites one function from its beginning to its end.
class Simplifier {
 public:
  Simplifier(ConstantPool& pool, Function& function, const std::vector<bool>& effects)
      : pool_(pool), function_(function), effects_(effects), definitions_(function.values.size()), lengths_(function) {}

  /// Returns whether anything has changed.
  bool run() {
    rewrite(function_.body);
    return changed_;
  }

 private:
  void rewrite(Block& block) {
    const std::size_t available_mark = available_order_.size(), lengths_mark = lengths_.mark();
    std::vector<Binding> old = std::exchange(block.bindings, {});
    block.bindings.reserve(old.size());
    for (Binding& binding : old) rewrite(std::move(binding), block.bindings);
    replace(block.results);
    for (; available_order_.size() > available_mark; available_order_.pop_back())
      available_.erase(available_order_.back());
    lengths_.roll_back(lengths_mark);
  }

  void rewrite(Binding binding, std::vector<Binding>& to) {
    replace(binding.operands);
    replace(binding.nest);
    if (binding.form == Form::kIf) return rewrite_if(std::move(binding), to);
    if (binding.form == Form::kOp && (is_known(binding) || moves_out_of_dist(binding, to))) return;
    add(std::move(binding), to);
  }

  /// Unless an earlier binding has the same results.
  void add(Binding binding, std::vector<Binding>& to) {
    if (is_available(binding)) return;
    if (binding.form == Form::kConst && pool_[binding.target].size() == 1)
      function_.values[binding.results[0]].scalar = true;
    definitions_.note(binding);
    lengths_.note(binding, pool_);
    to.push_back(std::move(binding));
  }

  // --- values that are known by other names -------------------------------------------------------------------

  void replace(std::vector<Var>& values) const {
    for (Var& v : values)
      if (v < same_as_.size() && same_as_[v] != kNoVar) v = same_as_[v];
  }

  void is_same(Var v, Var known) {
    if (same_as_.size() <= v) same_as_.resize(function_.values.size(), kNoVar);
    same_as_[v] = known;
    // Not `scalar`: that may hold only where v was computed.
    ValueInfo& value = function_.values[known];
    if (value.name.empty()) value.name = function_.values[v].name;
    changed_ = true;
  }

  Var new_value(Kind kind, bool scalar) {
    function_.values.push_back({kind, scalar});
    return static_cast<Var>(function_.values.size() - 1);
  }

  /// Whether the results have been computed before, where it can be seen from here.
  bool is_available(const Binding& binding) {
    if (binding.results.empty() || !is_repeatable(binding)) return false;
    Expression expression{binding.form, binding.op, binding.suffix, binding.target, binding.operands};
    if (binding.form == Form::kOp && commutes(binding.op, binding.suffix) && binding.operands[0] > binding.operands[1])
      std::swap(expression.operands[0], expression.operands[1]);
    auto [it, is_new] = available_.try_emplace(std::move(expression), binding.results);
    if (is_new) {
      available_order_.push_back(it->first);
      return false;
    }
    for (std::size_t k = 0; k < binding.results.size(); ++k) is_same(binding.results[k], it->second[k]);
    return true;
  }

  /// Whether doing it twice yields the same. What fails the first time is not reached a second time.
  bool is_repeatable(const Binding& binding) const {
    if (binding.form == Form::kOp) return info(binding.op).op_class != OpClass::kSystem && binding.op != Op::kRandom;
    return binding.form == Form::kConst || !effects_[binding.target];
  }

  // --- operations ---------------------------------------------------------------------------------------------

  /// Replaces an operation by a value there is; or turns it into a constant.
  bool is_known(Binding& binding) {
    Var known = known_result(binding, definitions_, pool_);
    if (known == kNoVar && lengths_.is_distributed_to_one(binding)) known = binding.operands[0];
    const Length length = lengths_.yielded(binding);
    if (known == kNoVar && length != 0) known = lengths_.holder(length);
    if (known != kNoVar) {
      is_same(binding.results[0], known);
      return true;
    }
    if (length != 0 && lengths_.number(length) >= 0)
      become(binding, {.type = Suffix::kInt, .ints = {lengths_.number(length)}});
    else if (std::optional<Constant> constant = folded(binding))
      become(binding, std::move(*constant));
    return false;
  }

  std::optional<Constant> folded(const Binding& binding) const {
    std::vector<const Constant*> operands;
    for (Var v : binding.operands) {
      operands.push_back(definitions_.constant(v, pool_));
      if (!operands.back()) return std::nullopt;
    }
    if (operands.empty()) return std::nullopt;
    return fold(binding.op, binding.suffix, operands);
  }

  void become(Binding& binding, Constant constant) {
    binding = {.form = Form::kConst, .target = pool_.add(std::move(constant)), .results = std::move(binding.results)};
    changed_ = true;
  }

  /// op (DIST a s) (DIST b s) is DIST (op a b) s, if the operation cannot fail for segments without elements.
  bool moves_out_of_dist(const Binding& binding, std::vector<Binding>& to) {
    const OpInfo& row = info(binding.op);
    if (row.op_class != OpClass::kElementwise || can_fault(binding.op, binding.suffix)) return false;
    bool scalar = true;
    Var descriptor = kNoVar;
    Binding inner{.op = binding.op, .suffix = binding.suffix};
    for (Var v : binding.operands) {
      if (!definitions_.is_op(v, Op::kDist)) return false;
      const std::vector<Var>& dist = definitions_.of(v).operands;
      if (descriptor != kNoVar && descriptor != dist[1]) return false;
      descriptor = dist[1];
      scalar = scalar && function_.values[dist[0]].scalar;
      inner.operands.push_back(dist[0]);
    }
    const Kind kind = function_.values[binding.results[0]].kind;
    const Var undistributed = new_value(kind, scalar);
    inner.results = {undistributed};
    rewrite(std::move(inner), to);
    Binding dist{.op = Op::kDist, .operands = {undistributed, descriptor}, .results = binding.results};
    dist.suffix = kind == Kind::kInt ? Suffix::kInt : kind == Kind::kBool ? Suffix::kBool : Suffix::kFloat;
    dist.site = binding.site;
    dist.nest = binding.nest;
    dist.outermost = binding.outermost;
    rewrite(std::move(dist), to);
    changed_ = true;
    return true;
  }

  // --- IF -----------------------------------------------------------------------------------------------------

  void rewrite_if(Binding binding, std::vector<Binding>& to) {
    while (definitions_.is_op(binding.operands[0], Op::kNot)) {
      binding.operands[0] = definitions_.of(binding.operands[0]).operands[0];
      std::swap(binding.blocks[0], binding.blocks[1]);
      changed_ = true;
    }
    const Constant* condition = definitions_.constant(binding.operands[0], pool_);
    if (condition && condition->size() > 0) {  // the first element decides; without one it fails
      Block& chosen = binding.blocks[condition->bools[0] ? 0 : 1];
      for (Binding& inner : chosen.bindings) rewrite(std::move(inner), to);
      replace(chosen.results);
      for (std::size_t k = 0; k < binding.results.size(); ++k) is_same(binding.results[k], chosen.results[k]);
      return;
    }
    for (Block& block : binding.blocks) rewrite(block);
    take_out_equal_results(binding, to);
    to.push_back(std::move(binding));
  }

  /// What both branches yield need not be a result.
  void take_out_equal_results(Binding& binding, std::vector<Binding>& to) {
    Block &first = binding.blocks[0], &second = binding.blocks[1];
    std::size_t kept = 0;
    for (std::size_t k = 0; k < binding.results.size(); ++k) {
      const Var result = binding.results[k], a = first.results[k], b = second.results[k];
      const Constant *constant = definitions_.constant(a, pool_), *other = definitions_.constant(b, pool_);
      if (a == b) {
        is_same(result, a);
      } else if (constant && constant == other) {
        changed_ = true;
        add({.form = Form::kConst, .target = definitions_.of(a).target, .results = {result}}, to);
      } else {
        binding.results[kept] = result;
        first.results[kept] = a;
        second.results[kept] = b;
        ++kept;
      }
    }
    binding.results.resize(kept);
    first.results.resize(kept);
    second.results.resize(kept);
  }

  ConstantPool& pool_;
  Function& function_;
  const std::vector<bool>& effects_;
  Definitions definitions_;
  Lengths lengths_;
  std::vector<Var> same_as_;
  std::unordered_map<Expression, std::vector<Var>, ExpressionHash> available_;
  std::vector<Expression> available_order_;
  bool changed_ = false;
};

}  // namespace

/// Pass "simplify": constants are computed, values that are equal become one, and what nobody needs goes.
///   before:  n = LENGTH INT x  s = MAKE_SEGDES n  m = LENGTHS s  i = CONST INT 1  j = + INT i i  k = * INT m j
///            t = CONST BOOL T  r = IF t then yield k else yield n   ret r
///   after:   n = LENGTH INT x  j = CONST INT 2  k = * INT n j   ret k
/// Bindings see those of the blocks around them. Operations with an effect stay, and in order; nothing is computed
/// here that the widths of INT and FLOAT or the vector library could decide differently. Each round is O(n); there
/// are as many as change something, two for most programs.
void simplify(Program& program) {
  ConstantPool pool(program);
  const std::vector<bool> effects = functions_with_effects(program);
  for (Function& function : program.functions) {
    do remove_dead_bindings(program, function, effects);
    while (Simplifier(pool, function, effects).run());
  }
  ConstantPool only_used(program);
}

}  // namespace vcode::letform

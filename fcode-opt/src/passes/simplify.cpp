#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/stop_request.h"
#include "constant_pool.h"
#include "dead_bindings.h"
#include "definitions.h"
#include "fcode-opt/passes.h"
#include "fcode-opt/shapes.h"
#include "ir/expression.h"
#include "ir/fold_constants.h"
#include "ir/walk.h"
#include "shapes/safety.h"
#include "vector_identities.h"

namespace vcode::letform {
namespace {

using Form = Binding::Form;

/// Rewrites one function in the order of its bindings.
class Simplifier {
 public:
  Simplifier(const Program& program, ConstantPool& pool, Function& function, const std::vector<bool>& effects,
             const ShapeFacts& shape_facts)
      : program_(program),
        pool_(pool),
        function_(function),
        effects_(effects),
        definitions_(function.values.size()),
        shapes_(program, function, shape_facts),
        identities_(definitions_, pool, shapes_,
                    [this](Constant constant) { return bind(pool_.add(std::move(constant))); }) {}

  /// Rewrites the function. Returns whether anything has changed.
  bool run() {
    find_used();
    available_.reserve(function_.values.size());
    to_ = &start_;
    find_known_results(function_.parameters);
    rewrite(function_.body);
    function_.body.bindings.insert(function_.body.bindings.begin(), std::make_move_iterator(start_.begin()),
                                   std::make_move_iterator(start_.end()));
    return changed_;
  }

 private:
  Shapes::Branch rewrite(Block& block) {
    const std::size_t available_mark = available_order_.size();
    const Shapes::Mark mark = shapes_.enter();
    std::vector<Binding>* around = std::exchange(to_, &block.bindings);
    std::vector<Binding> old = std::exchange(block.bindings, {});
    block.bindings.reserve(old.size());
    for (Binding& binding : old) rewrite(std::move(binding));
    replace(block.results);
    to_ = around;
    for (; available_order_.size() > available_mark; available_order_.pop_back()) {
      const auto found = available_.find(*available_order_.back());
      VC_CHECK(found != available_.end());
      available_.erase(found);
    }
    return shapes_.leave(mark, block.results);
  }

  void rewrite(Binding binding) {
    rename_uses(binding, [&](std::vector<Var>& values) { replace(values); });
    if (binding.form == Form::kIf) return rewrite_if(std::move(binding));
    const bool runs = binding.form != Form::kOp || program_.lengths_agree || shapes_.lengths_agree(binding);
    if (binding.form == Form::kOp && runs && (is_known(binding) || moves_out_of_dist(binding))) return;
    add(std::move(binding), runs);
  }

  /// Adds a binding, unless an earlier binding has the same results. `runs`: lengths cannot stop the program here.
  void add(Binding binding, bool runs = true) {
    if (binding.form == Form::kOp && binding.op == Op::kStartTimer) ++timers_;
    if (is_available(binding)) return;
    if (binding.form == Form::kConst && pool_[binding.target].size() == 1)
      function_.values[binding.results[0]].scalar = true;
    definitions_.note(binding);
    shapes_.note(binding);
    const bool has_one_result = binding.form == Form::kOp && binding.results.size() == 1;
    if (has_one_result && runs && is_known_by_shape(binding)) return;
    to_->push_back(std::move(binding));
    if (!has_one_result) find_known_results(std::vector<Var>(to_->back().results));
  }

  /// Whether a length or sum is known and fits in an INT of 32 bits, so that it cannot have wrapped around.
  static bool fits_any_int(std::int64_t value) { return value >= 0 && value <= INT32_MAX; }

  /// Whether an earlier value is known to equal the result of an operation that computes counts, or of MAKE_SEGDES.
  /// Changes an operation whose result is a known number to a constant.
  bool is_known_by_shape(Binding& binding) {
    if (binding.op != Op::kMakeSegdes && has_effect(binding.op, binding.suffix)) return false;
    const Var result = binding.results[0], known = shapes_.first_equal(result);
    if (known != kNoVar && known != result) {
      is_same(result, known);
      return true;
    }
    if (const std::int64_t value = shapes_.value(result); fits_any_int(value)) {
      become(binding, {.type = Suffix::kInt, .ints = {value}});
      definitions_.note(binding);
      shapes_.note(binding);
    }
    return false;
  }

  /// Replaces parameters, and results of calls, IFs and PACKs, which still have to run, by values known to be equal.
  /// `results` must not be part of the bindings, which move when a constant is bound.
  void find_known_results(const std::vector<Var>& results) {
    for (Var result : results) {
      if (!used_[result] || definitions_.constant(result, pool_)) continue;
      const Var known = shapes_.first_equal(result);
      if (const std::int64_t index = shapes_.constant_index(result); index >= 0)
        is_same(result, bind(static_cast<std::uint32_t>(index)));
      else if (const std::int64_t value = shapes_.value(result); fits_any_int(value))
        is_same(result, bind(pool_.add({.type = Suffix::kInt, .ints = {value}})));
      else if (known != kNoVar && known != result)
        is_same(result, known);
    }
  }

  void find_used() {
    used_.resize(function_.values.size());
    auto use = [&](const std::vector<Var>& values) {
      for (Var v : values) used_[v] = true;
    };
    use(function_.body.results);
    for_each_binding(function_.body, [&](const Binding& binding) {
      use(binding.operands);
      use(binding.nest);
      for (const Block& block : binding.blocks) use(block.results);
    });
  }

  // --- values that are known by other names -------------------------------------------------------------------

  Var known_as(Var v) const { return v < same_as_.size() && same_as_[v] != kNoVar ? same_as_[v] : v; }

  void replace(std::vector<Var>& values) {
    for (Var& v : values) {
      const Var known = known_as(v);
      changed_ = changed_ || known != v;
      v = known;
    }
  }

  void is_same(Var v, Var known) {
    known = known_as(known);
    if (same_as_.size() <= v) same_as_.resize(function_.values.size(), kNoVar);
    same_as_[v] = known;
    // `scalar` is not copied: it may hold only where v was computed.
    ValueInfo& value = function_.values[known];
    if (value.name.empty()) value.name = function_.values[v].name;
  }

  Var new_value(Kind kind, bool scalar) {
    function_.values.push_back({kind, scalar});
    used_.push_back(true);
    return static_cast<Var>(function_.values.size() - 1);
  }

  /// Binds a constant here, unless it is visible already.
  Var bind(std::uint32_t constant) {
    const Var v = new_value(suffix_kind(pool_[constant].type), pool_[constant].size() == 1);
    add({.form = Form::kConst, .target = constant, .results = {v}});
    return known_as(v);
  }

  /// Whether a visible binding has computed the same results.
  bool is_available(const Binding& binding) {
    if (binding.results.empty() || !is_repeatable(binding)) return false;
    auto [it, is_new] = available_.try_emplace(
        Timed{expression_of(binding), binding.form == Form::kConst ? 0 : timers_}, binding.results);
    if (is_new) {
      available_order_.push_back(&it->first);
      return false;
    }
    for (std::size_t k = 0; k < binding.results.size(); ++k) is_same(binding.results[k], it->second[k]);
    return true;
  }

  /// Whether running the binding twice yields the same results. If the first run fails, the second one is not reached.
  bool is_repeatable(const Binding& binding) const {
    switch (binding.form) {
      case Form::kOp:
        return info(binding.op).op_class != OpClass::kSystem && !info(binding.op).draws();
      case Form::kConst:
        return true;
      case Form::kCall:
        return !effects_[binding.target];
      case Form::kIf:
      case Form::kFused:  // kernels with the same operands may have different steps
      case Form::kLiftedIf:
      case Form::kSteps:
        break;
    }
    return false;
  }

  // --- operations ---------------------------------------------------------------------------------------------

  /// Replaces an operation by existing values and returns true, or changes it to a cheaper operation or a constant.
  bool is_known(Binding& binding) {
    if (const Var known = known_result(binding, definitions_, pool_); known != kNoVar) {
      is_same(binding.results[0], known);
      return true;
    }
    if (const std::vector<Var> known = identities_.known_results(binding); !known.empty()) {
      for (std::size_t k = 0; k < known.size(); ++k) is_same(binding.results[k], known[k]);
      return true;
    }
    while (identities_.make_cheaper(binding)) changed_ = true;
    if (std::optional<Constant> constant = folded(binding)) become(binding, std::move(*constant));
    return false;
  }

  std::optional<Constant> folded(const Binding& binding) {
    if (cancels(binding)) {
      const bool logical = binding.suffix == Suffix::kBool;
      const Constant zero =
          logical ? Constant{.type = Suffix::kBool, .bools = {false}} : Constant{.type = Suffix::kInt, .ints = {0}};
      return fold(binding.op, binding.suffix, {&zero, &zero});
    }
    std::vector<const Constant*> operands;
    for (Var v : binding.operands) {
      operands.push_back(definitions_.constant(v, pool_));
      if (!operands.back()) return std::nullopt;
    }
    if (operands.empty()) return std::nullopt;
    return fold(binding.op, binding.suffix, operands);
  }

  /// Whether both operands are the same scalar and the result does not depend on which scalar it is.
  bool cancels(const Binding& binding) {
    return info(binding.op).cancels(binding.suffix) && binding.operands[0] == binding.operands[1] &&
           shapes_.is_single(binding.operands[0]);
  }

  void become(Binding& binding, Constant constant) {
    binding = {.form = Form::kConst, .target = pool_.add(std::move(constant)), .results = std::move(binding.results)};
    changed_ = true;
  }

  /// Rewrites op (DIST a s) (DIST b s) as DIST (op a b) s, unless the operation can fault: it must not run for segments
  /// without elements.
  bool moves_out_of_dist(const Binding& binding) {
    const OpInfo& row = info(binding.op);
    if (row.op_class != OpClass::kElementwise || row.can_fault(binding.suffix)) return false;
    Var descriptor = kNoVar;
    bool all_alike = true;
    Binding inner{.op = binding.op, .suffix = binding.suffix};
    for (Var v : binding.operands) {
      if (!definitions_.is_op(v, Op::kDist)) return false;
      const auto& dist = definitions_.of(v).operands;
      inner.operands.push_back(dist[0]);
      all_alike = all_alike && (descriptor == kNoVar || shapes_.same_descriptor(descriptor, dist[1]));
      if (descriptor == kNoVar) descriptor = dist[1];
    }
    VC_CHECK(descriptor != kNoVar);
    // Operands that are scalars may have different descriptors: each has one segment, and all have equally many
    // elements.
    for (Var v : inner.operands)
      if (!all_alike && !shapes_.is_single(v)) return false;
    const Kind kind = function_.values[binding.results[0]].kind;
    const Var undistributed = new_value(kind, shapes_.is_single(inner.operands[0]));
    inner.results = {undistributed};
    inner.site = binding.site;
    inner.inlined = binding.inlined;
    inner.location_only = binding.site != kNoSite;
    rewrite(std::move(inner));
    Binding dist{.op = Op::kDist, .operands = {undistributed, descriptor}, .results = binding.results};
    dist.suffix = suffix_of(kind);
    dist.site = binding.site;
    dist.inlined = binding.inlined;
    dist.nest = binding.nest;
    dist.outermost = binding.outermost;
    dist.location_only = binding.location_only;
    rewrite(std::move(dist));
    changed_ = true;
    return true;
  }

  // --- IF -----------------------------------------------------------------------------------------------------

  void rewrite_if(Binding binding) {
    while (definitions_.is_op(binding.operands[0], Op::kNot)) {
      binding.operands[0] = definitions_.of(binding.operands[0]).operands[0];
      std::swap(binding.blocks[0], binding.blocks[1]);
      changed_ = true;
    }
    const Constant* condition = definitions_.constant(binding.operands[0], pool_);
    if (condition && condition->size() > 0) {  // the first element decides; an empty condition fails
      Block& chosen = binding.blocks[condition->bools[0] ? 0 : 1];
      for (Binding& inner : chosen.bindings) rewrite(std::move(inner));
      replace(chosen.results);
      for (std::size_t k = 0; k < binding.results.size(); ++k) is_same(binding.results[k], chosen.results[k]);
      changed_ = true;
      return;
    }
    Shapes::Branch branches[2];
    for (std::size_t k = 0; k < 2; ++k) branches[k] = rewrite(binding.blocks[k]);
    take_out_equal_results(binding, branches);
    shapes_.note_if(binding, branches[0], branches[1]);
    to_->push_back(std::move(binding));
    find_known_results(std::vector<Var>(to_->back().results));
  }

  /// Removes results that are the same value, or the same constant, in both branches.
  void take_out_equal_results(Binding& binding, Shapes::Branch (&branches)[2]) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < binding.results.size(); ++k) {
      const Var result = binding.results[k], a = binding.blocks[0].results[k], b = binding.blocks[1].results[k];
      const Constant *constant = definitions_.constant(a, pool_), *other = definitions_.constant(b, pool_);
      if (a == b) {
        is_same(result, a);
      } else if (constant && constant == other) {
        add({.form = Form::kConst, .target = definitions_.of(a).target, .results = {result}});
      } else {
        binding.results[kept] = result;
        for (std::size_t i = 0; i < 2; ++i) {
          binding.blocks[i].results[kept] = binding.blocks[i].results[k];
          branches[i].results[kept] = branches[i].results[k];
        }
        ++kept;
      }
    }
    changed_ = changed_ || kept < binding.results.size();
    binding.results.resize(kept);
    for (std::size_t i = 0; i < 2; ++i) {
      binding.blocks[i].results.resize(kept);
      branches[i].results.resize(kept);
    }
  }

  const Program& program_;
  ConstantPool& pool_;
  Function& function_;
  const std::vector<bool>& effects_;
  Definitions definitions_;
  std::vector<bool> used_;
  Shapes shapes_;
  VectorIdentities identities_;
  std::vector<Binding> start_;          ///< bindings to insert before those of the body
  std::vector<Binding>* to_ = nullptr;  ///< the block being written
  std::vector<Var> same_as_;
  /// An expression and the number of timers started before it. An operation that is timed is computed there, even if it
  /// was computed before the timer was started.
  struct Timed {
    Expression expression;
    std::uint32_t timers;
    friend bool operator==(const Timed&, const Timed&) = default;
  };
  struct TimedHash {
    std::size_t operator()(const Timed& timed) const { return ExpressionHash{}(timed.expression) + timed.timers; }
  };
  std::unordered_map<Timed, std::vector<Var>, TimedHash> available_;
  std::vector<const Timed*> available_order_;
  std::uint32_t timers_ = 0;
  bool changed_ = false;
};

}  // namespace

/// Pass "simplify": folds constants, merges common subexpressions, applies identities and removes dead code.
///   before:  n = LENGTH INT x  s = MAKE_SEGDES n  m = LENGTHS s  i = CONST INT 1  j = + INT i i  k = * INT m j
///            t = CONST BOOL T  r = IF t then yield k else yield n   ret r
///   after:   n = LENGTH INT x  j = CONST INT 2  k = * INT n j   ret k
/// Bindings see those of the enclosing blocks. Shapes provides facts about lengths, descriptors and calls;
/// VectorIdentities applies them to single operations. Operations with an effect stay in order. An operation is not
/// folded if its result depends on the widths of INT and FLOAT or on the vector library. Rounds are repeated until
/// nothing changes, two for most programs; each is O(n).
void simplify(Program& program) {
  ConstantPool pool(program);
  const ShapeFacts shape_facts = find_shape_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, shape_facts);
  for (Function& function : program.functions) {
    base::check_stop();
    do remove_dead_bindings(function, {program, function, shape_facts}, effects);
    while (Simplifier(program, pool, function, effects, shape_facts).run());
  }
  ConstantPool only_used(program);
}

}  // namespace vcode::letform

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "fcode-opt/passes.h"
#include "ir/fold_constants.h"
#include "masks/lifting.h"
#include "patterns/pattern_finder.h"

namespace vcode::letform {
namespace {

using Form = Binding::Form;

/// Maximal number of arithmetic operations for each element that are computed for all elements although they count only
/// for the chosen ones. The conversion saves writing and reading the chosen elements.
constexpr double kFilterCost = 16;
/// Facts about the operations that compute values from packed elements.
struct PackedCode {
  std::unordered_map<Var, Binding> packs;       ///< by their results, the chosen elements
  std::unordered_map<Var, Binding> operations;  ///< maps that cannot fault and gathers of such values, by their results
  std::unordered_map<Var, Var> sources;         ///< result of the PACK from which a value is computed
};

/// Bindings that compute for all elements values that the program computes for the elements that `flags` choose.
class LiftPacked : public Lifting {
 public:
  LiftPacked(Function& function, ConstantPool& pool, Definitions& definitions, Shapes& shapes, const PackedCode& code,
             Var flags, Var all, double budget)
      : Lifting(function, pool, definitions, budget), shapes_(shapes), code_(code), mask_{flags, all} {
    flags_.insert(flags);
  }

  Var flags() const { return mask_.flags; }
  Var all() const { return mask_.all; }
  /// Value for all elements that equals `v` for the chosen ones and is unspecified for the others.
  Var lift_value(Var v) {
    const Lifted value = lift(v);
    return value.chosen ? value.var : throw Failure{};
  }
  /// Replicates a scalar for all elements.
  Var replicate(Var scalar) {
    const Var single = shapes_.is_single(all()) ? all() : shapes_.single_descriptor(all());
    if (single == kNoVar) throw Failure{};
    return make(Op::kDist, suffix_of(function_.values[scalar].kind), {scalar, single});
  }
  const std::unordered_map<Var, std::uint32_t>& reads() const { return reads_; }

 private:
  Source source(Var v) const override {
    if (const auto pack = code_.packs.find(v); pack != code_.packs.end()) return {&pack->second, mask_};
    const auto found = code_.operations.find(v);
    return found == code_.operations.end() ? Source{} : Source{&found->second, mask_};
  }

  void lift_other(const Binding& pack, const Mask&) override {
    VC_CHECK(pack.op == Op::kPack);
    if (pack.operands[1] != flags() || !shapes_.same_descriptor(pack.operands[2], all())) throw Failure{};
    become(pack.results[0], {pack.operands[0], true});
  }

  Var lift_shared(Var v) override { return v; }

  Lifted lift_outside(Var v) override {
    const Definitions::Definition made = definitions_.of(v);
    if (function_.values[v].kind == Kind::kSegdes && shapes_.is_single(v) && shapes_.is_single(all()))
      return {all(), true};
    if (made.form != Form::kOp || made.op != Op::kDist || !shapes_.is_single(made.operands[0])) throw Failure{};
    return {replicate(made.operands[0]), true};
  }

  Shapes& shapes_;
  const PackedCode& code_;
  const Mask mask_;
};

class IfConverter : public PatternFinder {
 public:
  using PatternFinder::PatternFinder;

 private:
  void note(const Binding& binding) override {
    PatternFinder::note(binding);
    if (binding.form != Form::kOp) return;
    const std::vector<Var>& operands = binding.operands;
    const Var result = binding.results.empty() ? kNoVar : binding.results[0];
    if (binding.op == Op::kPack) {
      code_.packs.insert_or_assign(result, binding);
      code_.sources.insert_or_assign(result, result);
      return;
    }
    const bool is_gather = binding.op == Op::kBpermute;
    if (!is_gather && info(binding.op).op_class != OpClass::kElementwise) return;
    for (std::size_t k = is_gather ? 1 : 0; k < (is_gather ? 2 : operands.size()); ++k)
      if (const auto found = code_.sources.find(operands[k]); found != code_.sources.end())
        code_.sources.emplace(result, Var(found->second));
    if (!code_.sources.contains(result)) return;
    if (is_gather ? shapes_.is_single(operands[2]) : !info(binding.op).checks() && !can_fault(binding))
      code_.operations.insert_or_assign(result, binding);
  }

  /// Whether a map can fault, considering its last operand.
  bool can_fault(const Binding& map) const {
    if (!info(map.op).can_fault(map.suffix)) return false;
    const Constant* last = definitions_.uniform(map.operands.back(), pool_);
    return last == nullptr || can_fault_with(map.op, map.suffix, map.operands.size() - 1, *last);
  }

  void rewrite(Binding& binding) override {
    try {
      if (binding.op == Op::kMerge)
        select(binding);
      else if (binding.op == Op::kPack)
        pack_once(binding);
      else if (info(binding.op).op_class == OpClass::kReduce && binding.suffix != Suffix::kFloat)
        reduce_all(binding);
      else if (binding.op == Op::kDpermute)
        scatter_all(binding);
    } catch (const Lifting::Failure&) {
      // The operation stays as it is.
    }
  }

  /// A PACK that chose elements from which `v` is computed, or null.
  const Binding* source(Var v) const {
    const auto found = code_.sources.find(v);
    return found == code_.sources.end() ? nullptr : &code_.packs.at(found->second);
  }

  LiftPacked lifting(Var flags, Var all, double budget) {
    return {function_, pool_, definitions_, shapes_, code_, flags, all, budget};
  }

  /// Whether the values computed from chosen elements have no other uses, except the results of PACKs.
  bool replaces_all(const LiftPacked& lifting) const {
    return std::all_of(lifting.reads().begin(), lifting.reads().end(), [&](const auto& read) {
      const auto [v, reads] = read;
      return code_.packs.contains(v) || definitions_.is_op(v, Op::kDist) || function_.values[v].kind == Kind::kSegdes ||
             uses_[v] == reads;
    });
  }

  /// Adds the bindings to the program.
  void keep(LiftPacked& lifting) {
    for (Binding& binding : lifting.made()) put(std::move(binding));
    // Gathers that a BFPERMUTE with the same faults replaces.
    for (const auto& [v, reads] : lifting.reads())
      if (is(v, Op::kBpermute)) faultless_.push_back(v);
  }

  // --- operations that read these values -------------------------------------------------------------------------

  bool are_opposite(Var f, Var g) const {
    return (definitions_.is_op(f, Op::kNot) && operands(f)[0] == g) ||
           (definitions_.is_op(g, Op::kNot) && operands(g)[0] == f);
  }

  /// Converts a MERGE of values computed from the elements with true flags and from those with false flags.
  void select(Binding& merge) {
    const Var flags = merge.operands[0];
    const Binding *of_true = source(merge.operands[1]), *of_false = source(merge.operands[2]);
    if (of_true == nullptr || of_false == nullptr) return;
    if (of_true->operands[1] != flags || !are_opposite(of_false->operands[1], flags)) return;
    if (!shapes_.same_elements(flags, of_true->operands[0]) || !shapes_.same_elements(flags, of_false->operands[0]))
      return;
    LiftPacked first = lifting(flags, of_true->operands[2], kMaskCost);
    const Var a = first.lift_value(merge.operands[1]);
    LiftPacked second = lifting(of_false->operands[1], of_false->operands[2], kMaskCost - first.cost());
    const Var b = second.lift_value(merge.operands[2]);
    if (!replaces_all(first) || !replaces_all(second)) return;
    keep(first);
    keep(second);
    merge.op = Op::kSelect;
    merge.operands = {flags, a, b};
  }

  /// Converts a PACK of elements that another PACK has chosen.
  void pack_once(Binding& pack) {
    const Binding* inner = source(pack.operands[1]);
    if (inner == nullptr) inner = source(pack.operands[0]);
    if (inner == nullptr || !shapes_.same_descriptor(inner->results[1], pack.operands[2])) return;
    LiftPacked packed = lifting(inner->operands[1], inner->operands[2], kFilterCost);
    const Var x = packed.lift_value(pack.operands[0]), flags = packed.lift_value(pack.operands[1]);
    if (!replaces_all(packed)) return;
    // If another operation still reads the chosen elements, they are short, perhaps much shorter than all.
    for (const auto& [v, reads] : packed.reads())
      if (code_.packs.contains(v) && uses_[v] != reads) return;
    const Var both = packed.make(Op::kAnd, Suffix::kBool, {packed.flags(), flags});
    keep(packed);
    pack.operands = {x, both, packed.all()};
  }

  /// Converts a reduction of chosen elements: the other elements become the identity element.
  void reduce_all(Binding& reduction) {
    const Binding* pack = source(reduction.operands[0]);
    if (pack == nullptr || !shapes_.same_descriptor(pack->results[1], reduction.operands[1])) return;
    const std::optional<int> identity = identity_of(reduction);
    if (!identity) return;
    LiftPacked packed = lifting(pack->operands[1], pack->operands[2], kFilterCost);
    const Var x = packed.lift_value(reduction.operands[0]);
    if (!replaces_all(packed)) return;
    const Var others = packed.replicate(packed.make_constant(reduction.suffix, *identity));
    const Var chosen = packed.make(Op::kSelect, reduction.suffix, {packed.flags(), x, others});
    keep(packed);
    reduction.operands = {chosen, packed.all()};
  }

  /// Converts a DPERMUTE of chosen elements to new defaults, with which it can be fused. A packed one ends a kernel.
  void scatter_all(Binding& scatter) {
    const Var places = scatter.operands[1], defaults = scatter.operands[2];
    const Binding* pack = source(places);
    if (pack == nullptr || !shapes_.same_descriptor(pack->results[1], scatter.operands[3])) return;
    if (!definitions_.is_op(defaults, Op::kDist) || !shapes_.is_single(scatter.operands[4])) return;
    LiftPacked packed = lifting(pack->operands[1], pack->operands[2], kMaskCost);
    const Var x = packed.lift_value(scatter.operands[0]), all_places = packed.lift_value(places);
    if (!replaces_all(packed)) return;
    keep(packed);
    scatter.op = Op::kDfpermute;
    scatter.operands = {x, all_places, packed.flags(), defaults, packed.all(), scatter.operands[4]};
  }

  /// Identity element of a reduction, if it is 0, 1 or -1 for all widths.
  static std::optional<int> identity_of(const Binding& reduction) {
    for (const int number : {0, 1, -1}) {
      Constant constant{.type = reduction.suffix};
      if (reduction.suffix == Suffix::kBool)
        constant.bools = {static_cast<std::uint8_t>(number)};
      else
        constant.ints = {number};
      const bool is_value = reduction.suffix == Suffix::kInt || number >= 0;
      if (is_value && is_identity(reduction.op, reduction.suffix, constant)) return number;
    }
    return {};
  }

  PackedCode code_;
};

}  // namespace

/// Pass "if-conversion": computes values for all elements instead of for the elements that flags choose, where that
/// costs less than writing and reading the chosen elements.
///   before:  a, s = PACK x f u   b, t = PACK y (NOT f) u   d = MERGE f (+ a a) b
///            n = +_REDUCE (* a a) s
///            c = BPERMUTE z a v s   e, w = PACK a (< c k) s
///            p = DPERMUTE a (+ a a) (DIST 0 t) s t
///   after:   d = SELECT f (+ x x) y
///            n = +_REDUCE (SELECT f (* x x) 0) u
///            c = BFPERMUTE z x f v u   e, w = PACK x (AND f (< c k)) u
///            p = DFPERMUTE x (+ x x) f (DIST 0 t) u t
/// Only gathers and scatters can fault among the converted operations, and flags guard them. Reductions of FLOATs are
/// not converted, since their sums would be associated differently. O(n log n), except that the operands of each MERGE
/// and reduction are examined.
void convert_ifs(Program& program) { find_patterns<IfConverter>(program); }

}  // namespace vcode::letform

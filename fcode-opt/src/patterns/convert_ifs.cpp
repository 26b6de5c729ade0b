#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fcode-opt/passes.h"
#include "ir/fold_constants.h"
#include "patterns/pattern_finder.h"

namespace vcode::letform {
namespace {

using Form = Binding::Form;

/// Maximal number of arithmetic operations for each element of the operands of a MERGE that is converted: as many as
/// the NESL compiler allows for a conditional. Packing both ways and MERGE are several traversals.
constexpr double kMergeCost = 64;
/// Maximal number of arithmetic operations for each element that are computed for all elements although they count only
/// for the chosen ones. The conversion saves writing and reading the chosen elements.
constexpr double kFilterCost = 16;
/// Cost of a gather for each element, in arithmetic operations: a check of the index and a load.
constexpr double kGatherCost = 4;

class IfConverter : public PatternFinder {
 public:
  using PatternFinder::PatternFinder;

 private:
  /// Operands and results of chosen, descriptor = PACK x flags all.
  struct Pack {
    Var x, flags, all, descriptor;
  };
  /// Bindings that compute for all elements values that the program computes for the elements that `flags` choose.
  struct Lifting {
    Var flags, all;
    double cost = 0;
    std::vector<Binding> made = {};
    std::unordered_map<Var, Var> lifted = {};
    std::unordered_map<Var, std::uint32_t> reads = {};  ///< number of times that lift() reads each value
    std::vector<Var> gathers = {};                      ///< gathers that a BFPERMUTE with the same faults replaces
  };

  void note(const Binding& binding) override {
    PatternFinder::note(binding);
    if (binding.form != Form::kOp) return;
    const std::vector<Var>& operands = binding.operands;
    const Var result = binding.results.empty() ? kNoVar : binding.results[0];
    if (binding.op == Op::kPack) {
      packs_.insert_or_assign(result, Pack{operands[0], operands[1], operands[2], binding.results[1]});
      sources_.insert_or_assign(result, result);
    } else if (binding.op == Op::kBpermute) {
      gathers_.insert_or_assign(result, binding);
      inherit_source(result, operands[1]);
    } else if (info(binding.op).op_class == OpClass::kElementwise) {
      for (Var v : operands) inherit_source(result, v);
    }
  }

  void inherit_source(Var result, Var v) {
    if (const auto found = sources_.find(v); found != sources_.end()) sources_.emplace(result, Var(found->second));
  }

  void rewrite(Binding& binding) override {
    if (binding.op == Op::kMerge)
      select(binding);
    else if (binding.op == Op::kPack)
      pack_once(binding);
    else if (info(binding.op).op_class == OpClass::kReduce && binding.suffix != Suffix::kFloat)
      reduce_all(binding);
  }

  // --- values computed for all elements ----------------------------------------------------------------------

  /// A PACK that chose elements from which `v` is computed, or null.
  const Pack* source(Var v) const {
    const auto found = sources_.find(v);
    return found == sources_.end() ? nullptr : &packs_.at(found->second);
  }

  Var make(Lifting& lifting, Op op, Suffix suffix, std::vector<Var> operands, Kind kind) {
    const Var result = new_value(kind);
    lifting.made.push_back({.op = op, .suffix = suffix, .operands = std::move(operands), .results = {result}});
    return result;
  }

  Var constant(Lifting& lifting, Suffix type, int number) {
    Constant value{.type = type};
    if (type == Suffix::kInt) value.ints = {number};
    if (type == Suffix::kBool) value.bools = {static_cast<std::uint8_t>(number)};
    if (type == Suffix::kFloat) value.floats = {static_cast<double>(number)};
    const Var result = new_value(suffix_kind(type));
    function_.values[result].scalar = true;
    lifting.made.push_back({.form = Form::kConst, .target = pool_.add(std::move(value)), .results = {result}});
    return result;
  }

  /// Replicates a scalar for all elements; kNoVar unless they can be one segment.
  Var spread(Lifting& lifting, Var scalar) {
    const Var single = shapes_.is_single(lifting.all) ? lifting.all : shapes_.single_descriptor(lifting.all);
    if (single == kNoVar) return kNoVar;
    const Kind kind = function_.values[scalar].kind;
    return make(lifting, Op::kDist, suffix_of(kind), {scalar, single}, kind);
  }

  /// Value for all elements that equals `v` for the chosen ones and is unspecified for the others; kNoVar if there is
  /// none.
  Var lift(Var v, Lifting& lifting) {
    ++lifting.reads[v];
    if (lifting.cost > kMergeCost) return kNoVar;
    if (const auto known = lifting.lifted.find(v); known != lifting.lifted.end()) return known->second;
    const Var result = lift_anew(v, lifting);
    if (result != kNoVar) lifting.lifted.emplace(v, result);
    return result;
  }

  Var lift_anew(Var v, Lifting& lifting) {
    if (const auto found = packs_.find(v); found != packs_.end()) {
      const Pack& pack = found->second;
      return pack.flags == lifting.flags && shapes_.same_descriptor(pack.all, lifting.all) ? pack.x : kNoVar;
    }
    const Definitions::Definition made = definitions_.of(v);
    if (made.form != Form::kOp) return kNoVar;
    if (made.op == Op::kDist) return shapes_.is_single(made.operands[0]) ? spread(lifting, made.operands[0]) : kNoVar;
    if (made.op == Op::kBpermute) return lift_gather(v, made, lifting);
    if (info(made.op).op_class != OpClass::kElementwise || info(made.op).checks()) return kNoVar;
    return lift_elementwise(v, made, lifting);
  }

  Var lift_elementwise(Var v, const Definitions::Definition& made, Lifting& lifting) {
    const OpInfo& row = info(made.op);
    const auto count = static_cast<std::size_t>(row.signature.operand_count);
    lifting.cost += row.flops;
    std::vector<Var> all;
    for (std::size_t k = 0; k < count; ++k) {
      all.push_back(lift(made.operands[k], lifting));
      if (all.back() == kNoVar) return kNoVar;
    }
    if (row.can_fault(made.suffix)) {
      const Constant* last = definitions_.uniform(made.operands[count - 1], pool_);
      if (last == nullptr || can_fault_with(made.op, made.suffix, count - 1, *last)) return kNoVar;
    }
    return make(lifting, made.op, made.suffix, std::move(all), function_.values[v].kind);
  }

  /// Converts a gather from one segment to a gather guarded by the flags.
  Var lift_gather(Var v, const Definitions::Definition& made, Lifting& lifting) {
    const Var table = made.operands[0], indices = made.operands[1], source = made.operands[2],
              target = made.operands[3];
    if (!shapes_.is_single(source) || !shapes_.is_single(target) || !shapes_.is_single(lifting.all)) return kNoVar;
    lifting.cost += kGatherCost;
    const Var index = lift(indices, lifting);
    if (index == kNoVar) return kNoVar;
    const Binding& gather = gathers_.at(v);
    // The nest of an operation over all elements begins one level further out.
    const bool is_placed = gather.site == kNoSite || gather.location_only;
    if (!is_placed && (gather.nest.empty() || gather.nest[0] != lifting.flags)) return kNoVar;
    const Var result = make(lifting, Op::kBfpermute, made.suffix, {table, index, lifting.flags, source, lifting.all},
                            function_.values[v].kind);
    Binding& guarded = lifting.made.back();
    guarded.site = gather.site;
    guarded.inlined = gather.inlined;
    guarded.location_only = gather.location_only;
    guarded.outermost = gather.outermost;
    if (!is_placed) guarded.nest.assign(gather.nest.begin() + 1, gather.nest.end());
    lifting.gathers.push_back(v);
    return result;
  }

  /// Whether the values computed from chosen elements have no other uses, except the results of PACKs.
  bool replaces_all(const Lifting& lifting) const {
    return std::all_of(lifting.reads.begin(), lifting.reads.end(), [&](const auto& read) {
      const auto [v, reads] = read;
      return packs_.contains(v) || definitions_.is_op(v, Op::kDist) || uses_[v] == reads;
    });
  }

  /// Adds the bindings to the program.
  void keep(Lifting& lifting) {
    for (Binding& binding : lifting.made) put(std::move(binding));
    faultless_.insert(faultless_.end(), lifting.gathers.begin(), lifting.gathers.end());
  }

  // --- operations that read these values -------------------------------------------------------------------------

  bool are_opposite(Var f, Var g) const {
    return (definitions_.is_op(f, Op::kNot) && operands(f)[0] == g) ||
           (definitions_.is_op(g, Op::kNot) && operands(g)[0] == f);
  }

  /// Converts a MERGE of values computed from the elements with true flags and from those with false flags.
  void select(Binding& merge) {
    const Var flags = merge.operands[0];
    const Pack *of_true = source(merge.operands[1]), *of_false = source(merge.operands[2]);
    if (of_true == nullptr || of_false == nullptr) return;
    if (of_true->flags != flags || !are_opposite(of_false->flags, flags)) return;
    Lifting first{flags, of_true->all}, second{of_false->flags, of_false->all};
    if (!shapes_.same_elements(flags, of_true->x) || !shapes_.same_elements(flags, of_false->x)) return;
    const Var a = lift(merge.operands[1], first), b = lift(merge.operands[2], second);
    if (a == kNoVar || b == kNoVar || first.cost + second.cost > kMergeCost) return;
    if (!replaces_all(first) || !replaces_all(second)) return;
    keep(first);
    keep(second);
    merge.op = Op::kSelect;
    merge.operands = {flags, a, b};
  }

  /// Converts a PACK of elements that another PACK has chosen.
  void pack_once(Binding& pack) {
    const Pack* inner = source(pack.operands[1]);
    if (inner == nullptr) inner = source(pack.operands[0]);
    if (inner == nullptr || !shapes_.same_descriptor(inner->descriptor, pack.operands[2])) return;
    Lifting lifting{inner->flags, inner->all};
    const Var x = lift(pack.operands[0], lifting), flags = lift(pack.operands[1], lifting);
    if (x == kNoVar || flags == kNoVar || lifting.cost > kFilterCost || !replaces_all(lifting)) return;
    // If another operation still reads the chosen elements, they are short, perhaps much shorter than all.
    for (const auto& [v, reads] : lifting.reads)
      if (packs_.contains(v) && uses_[v] != reads) return;
    const Var both = make(lifting, Op::kAnd, Suffix::kBool, {lifting.flags, flags}, Kind::kBool);
    keep(lifting);
    pack.operands = {x, both, lifting.all};
  }

  /// Converts a reduction of chosen elements: the other elements become the identity element.
  void reduce_all(Binding& reduction) {
    const Pack* pack = source(reduction.operands[0]);
    if (pack == nullptr || !shapes_.same_descriptor(pack->descriptor, reduction.operands[1])) return;
    const std::optional<int> identity = identity_of(reduction);
    if (!identity) return;
    Lifting lifting{pack->flags, pack->all};
    const Var x = lift(reduction.operands[0], lifting);
    if (x == kNoVar || lifting.cost > kFilterCost || !replaces_all(lifting)) return;
    const Var others = spread(lifting, constant(lifting, reduction.suffix, *identity));
    if (others == kNoVar) return;
    const Var chosen =
        make(lifting, Op::kSelect, reduction.suffix, {lifting.flags, x, others}, function_.values[x].kind);
    const Var all = lifting.all;
    keep(lifting);
    reduction.operands = {chosen, all};
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

  std::unordered_map<Var, Pack> packs_;   ///< by their results, the chosen elements
  std::unordered_map<Var, Var> sources_;  ///< result of the PACK from which a value is computed
  std::unordered_map<Var, Binding> gathers_;
};

}  // namespace

/// Pass "if-conversion": computes values for all elements instead of for the elements that flags choose, where that
/// costs less than writing and reading the chosen elements.
///   before:  a, s = PACK x f u   b, t = PACK y (NOT f) u   d = MERGE f (+ a a) b
///            n = +_REDUCE (* a a) s
///            c = BPERMUTE z a v s   e, w = PACK a (< c k) s
///   after:   d = SELECT f (+ x x) y
///            n = +_REDUCE (SELECT f (* x x) 0) u
///            c = BFPERMUTE z x f v u   e, w = PACK x (AND f (< c k)) u
/// Only gathers can fault among the converted operations, and flags guard them. Reductions of FLOATs are not converted,
/// since their sums would be associated differently. O(n log n), except that the operands of each MERGE and reduction
/// are examined.
void convert_ifs(Program& program) { find_patterns<IfConverter>(program); }

}  // namespace vcode::letform

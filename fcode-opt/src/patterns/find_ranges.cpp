#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fcode-opt/passes.h"
#include "fcode-opt/shapes.h"
#include "ir/safety.h"
#include "passes/constant_pool.h"
#include "passes/dead_bindings.h"
#include "passes/definitions.h"
#include "vcode/stop_request.h"

namespace vcode::letform {
namespace {

using Form = Binding::Form;

/// Finds ranges in one function, from its beginning to its end.
class RangeFinder {
 public:
  RangeFinder(const Program& program, const ConstantPool& pool, Function& function, const ShapeFacts& facts)
      : program_(program),
        pool_(pool),
        function_(function),
        definitions_(function.values.size()),
        shapes_(program, function, facts) {}

  void run(Block& block) {
    const std::size_t known_before = held_.size();
    std::vector<Binding>* const around = std::exchange(to_, &block.bindings);
    for (Binding& binding : std::exchange(block.bindings, {})) {
      visit(binding);
      to_->push_back(std::move(binding));
    }
    to_ = around;
    held_.resize(known_before);
  }

  /// Values whose operations were found unable to fail, and may not be needed any more.
  const std::vector<Var>& harmless() const { return harmless_; }

 private:
  /// A PACK of the numbers 0, 1, 2, … of all elements of a single segment: which elements have true flags.
  struct Chosen {
    Var flags, descriptor;
  };
  /// DPERMUTE b q (DPERMUTE a p d s1 s3) s2 s3: one after the other into what is then overwritten.
  struct TwoScatters {
    Var a, p, s1, b, q, s2, s3, first;
  };

  void visit(Binding& binding) {
    if (binding.form == Form::kIf) {
      Shapes::Branch branches[2];
      for (std::size_t k = 0; k < 2; ++k) {
        const Shapes::Place place = shapes_.enter();
        run(binding.blocks[k]);
        branches[k] = shapes_.leave(place, binding.blocks[k].results);
      }
      return shapes_.note_if(binding, branches[0], branches[1]);
    }
    if (binding.form == Form::kOp) rewrite(binding);
    note(binding);
  }

  void note(const Binding& binding) {
    definitions_.note(binding);
    shapes_.note(binding);
  }

  void rewrite(Binding& binding) {
    if (info(binding.op).checks()) held_.push_back(binding.operands.back());
    if (!program_.lengths_agree && !shapes_.lengths_agree(binding)) return;
    switch (binding.op) {
      case Op::kPack:
        note_chosen(binding);
        break;
      case Op::kLength:
        ask_descriptor(binding);
        break;
      case Op::kSumScan:
        ask_offsets(binding);
        break;
      case Op::kSumReduce:
        note_count(binding);
        break;
      case Op::kBpermute:
        if (!slice(binding)) merge_by_places(binding);
        break;
      case Op::kMinReduce:
        find_first_extreme(binding);
        break;
      case Op::kDpermute:
        if (const std::optional<TwoScatters> both = two_scatters(binding)) join(binding, *both);
        break;
      default:
        break;
    }
  }

  static void become(Binding& binding, Op op, std::vector<Var> operands) {
    binding.op = op;
    if (!info(op).takes(binding.suffix)) binding.suffix = Suffix::kNone;
    binding.operands = std::move(operands);
  }

  // --- facts ----------------------------------------------------------------------------------------------------

  const std::array<Var, Signature::kMaxRoles>& operands(Var v) const { return definitions_.of(v).operands; }
  bool is(Var v, Op op) const { return definitions_.is_op(v, op); }

  /// The INT that each element is, if it is known and the same, else -1.
  std::int64_t uniform(Var v) const {
    const Constant* constant = definitions_.uniform(v, pool_);
    return constant != nullptr && constant->type == Suffix::kInt ? constant->ints[0] : -1;
  }
  /// Whether it is an INDEX of stride 1 over a descriptor.
  bool is_range(Var v, Var descriptor) {
    return is(v, Op::kIndex) && uniform(operands(v)[1]) == 1 && shapes_.same_descriptor(operands(v)[2], descriptor);
  }
  bool counts_up(Var v, Var descriptor) { return is_range(v, descriptor) && uniform(operands(v)[0]) == 0; }
  /// The segment length of a descriptor made of one constant, or -1.
  std::int64_t uniform_length(Var descriptor) const {
    return is(descriptor, Op::kMakeSegdes) ? uniform(operands(descriptor)[0]) : -1;
  }
  /// Whether each segment of a descriptor was made as long as that of `all` is longer than that of `part`.
  bool is_difference(Var descriptor, Var all, Var part) {
    if (!is(descriptor, Op::kMakeSegdes) || !is(operands(descriptor)[0], Op::kSubtract)) return false;
    const auto& lengths = operands(operands(descriptor)[0]);
    return shapes_.are_lengths_of(lengths[0], all) && shapes_.are_lengths_of(lengths[1], part);
  }
  /// Whether each segment of s3 is as long as those of s1 and s2 together.
  bool is_sum(Var s3, Var s1, Var s2) {
    if (const std::int64_t both = uniform_length(s3); both >= 0)
      return uniform_length(s1) >= 0 && uniform_length(s2) >= 0 && uniform_length(s1) + uniform_length(s2) == both;
    if (is_difference(s1, s3, s2) || is_difference(s2, s3, s1)) return true;
    if (!is(s3, Op::kMakeSegdes) || !is(operands(s3)[0], Op::kAdd)) return false;
    const Var x = operands(operands(s3)[0])[0], y = operands(operands(s3)[0])[1];
    return (shapes_.are_lengths_of(x, s1) && shapes_.are_lengths_of(y, s2)) ||
           (shapes_.are_lengths_of(x, s2) && shapes_.are_lengths_of(y, s1));
  }

  // --- operations that ask a descriptor -----------------------------------------------------------------------------

  /// LENGTH of what an operation made over a descriptor is the number of its elements.
  void ask_descriptor(Binding& binding) {
    const Definitions::Definition& made = definitions_.of(binding.operands[0]);
    if (made.form != Form::kOp) return;
    const Signature& signature = info(made.op).signature;
    for (std::size_t k = 0; k < static_cast<std::size_t>(signature.operand_count); ++k)
      if (signature.operands[k].type == RoleType::kSegdes &&
          signature.operands[k].length == signature.results[0].length)
        return become(binding, Op::kElements, {made.operands[k]});
  }

  /// +_SCAN of all lengths of a descriptor.
  void ask_offsets(Binding& binding) {
    if (binding.suffix != Suffix::kInt || !shapes_.is_single(binding.operands[1])) return;
    const Var descriptor = shapes_.descriptor_of(binding.operands[0]);
    if (descriptor != kNoVar) become(binding, Op::kOffsets, {descriptor});
  }

  // --- places of extremes -------------------------------------------------------------------------------------------

  /// Whether each element is as large as its segment is long.
  bool is_length_of_segment(Var v, Var descriptor) {
    if (const std::int64_t known = uniform_length(descriptor); known >= 0 && uniform(v) == known) return true;
    if (!is(v, Op::kDist) || !shapes_.same_elements(v, descriptor)) return false;
    const Var of_segment = operands(v)[0], over = operands(v)[1];
    const bool same = shapes_.same_descriptor(over, descriptor);
    if (is(of_segment, Op::kElements))
      return same && shapes_.is_single(descriptor) && shapes_.same_descriptor(operands(of_segment)[0], descriptor);
    return same && shapes_.are_lengths_of(of_segment, descriptor);
  }

  /// The smallest index among those of the elements that equal the maximum or minimum of their segment.
  void find_first_extreme(Binding& binding) {
    const Var chosen = binding.operands[0], s = binding.operands[1];
    if (binding.suffix != Suffix::kInt || !is(chosen, Op::kSelect)) return;
    const Var equal = operands(chosen)[0], indices = operands(chosen)[1], otherwise = operands(chosen)[2];
    if (!is(equal, Op::kEqual) || !counts_up(indices, s) || !is_length_of_segment(otherwise, s)) return;
    for (const bool turned : {false, true}) {
      const Var x = operands(equal)[turned ? 1 : 0], spread = operands(equal)[turned ? 0 : 1];
      if (!is(spread, Op::kDist) || !shapes_.same_descriptor(operands(spread)[1], s)) continue;
      const Var extreme = operands(spread)[0];
      const bool largest = is(extreme, Op::kMaxReduce);
      if (!largest && !is(extreme, Op::kMinReduce)) continue;
      if (operands(extreme)[0] != x || !shapes_.same_descriptor(operands(extreme)[1], s)) continue;
      binding.suffix = definitions_.of(extreme).suffix;
      return become(binding, largest ? Op::kMaxIndex : Op::kMinIndex, {x, s});
    }
  }

  // --- operations that move blocks ------------------------------------------------------------------------------

  void note_chosen(const Binding& binding) {
    const Var numbers = binding.operands[0], flags = binding.operands[1], descriptor = binding.operands[2];
    if (shapes_.is_single(descriptor) && counts_up(numbers, descriptor))
      chosen_.insert_or_assign(binding.results[0], Chosen{flags, descriptor});
  }

  /// A gather from all of a vector, through an INDEX of stride 1.
  bool slice(Binding& binding) {
    const Var places = binding.operands[1];
    if (!is(places, Op::kIndex) || uniform(operands(places)[1]) != 1) return false;
    if (!shapes_.is_single(binding.operands[2]) || !shapes_.is_single(binding.operands[3])) return false;
    if (take_part(binding, operands(places)[0], operands(places)[2])) return true;
    become(binding, Op::kSlice, {binding.operands[0], operands(places)[0], operands(places)[2]});
    if (cannot_fail(binding)) harmless_.push_back(binding.results[0]);
    return true;
  }

  /// Whether the compiler says so: it gives a message to what may fail.
  bool cannot_fail(const Binding& binding) const {
    return program_.lengths_agree && (binding.site == kNoSite || binding.place_only);
  }

  std::optional<TwoScatters> two_scatters(const Binding& binding) {
    const Var first = binding.operands[2];
    if (!is(first, Op::kDpermute)) return {};
    const auto& inner = operands(first);
    if (!shapes_.same_descriptor(inner[4], binding.operands[4])) return {};
    return TwoScatters{inner[0],
                       inner[1],
                       inner[3],
                       binding.operands[0],
                       binding.operands[1],
                       binding.operands[3],
                       binding.operands[4],
                       first};
  }

  void join(Binding& binding, const TwoScatters& both) {
    if (!append(binding, both) && !merge(binding, both) && !merge_segments(binding, both)) return;
    harmless_.push_back(both.first);
    if (cannot_fail(binding)) harmless_.push_back(binding.results[0]);
  }

  /// Each segment of a to the beginning of the result's segment, each of b behind it.
  bool append(Binding& binding, const TwoScatters& both) {
    if (!counts_up(both.p, both.s1) || !is_range(both.q, both.s2)) return false;
    const Var behind = operands(both.q)[0];
    const std::int64_t known = uniform_length(both.s1);
    if (!shapes_.are_lengths_of(behind, both.s1) && !(known >= 0 && uniform(behind) == known)) return false;
    if (!is_sum(both.s3, both.s1, both.s2)) return false;
    become(binding, Op::kAppend, {both.a, both.b, both.s1, both.s2, both.s3});
    return true;
  }

  /// The flags that are true of the elements `p`, if the others are those of `q`; `swapped` if q's are true.
  struct Flags {
    Var flags = kNoVar, descriptor = kNoVar;
    bool swapped = false;
  };
  std::optional<Flags> complementary(Var p, Var q) {
    const auto of_p = chosen_.find(p), of_q = chosen_.find(q);
    if (of_p == chosen_.end() || of_q == chosen_.end()) return {};
    const Chosen &first = of_p->second, &second = of_q->second;
    if (!shapes_.same_descriptor(first.descriptor, second.descriptor)) return {};
    if (is(second.flags, Op::kNot) && operands(second.flags)[0] == first.flags)
      return Flags{first.flags, first.descriptor, false};
    if (is(first.flags, Op::kNot) && operands(first.flags)[0] == second.flags)
      return Flags{second.flags, first.descriptor, true};
    return {};
  }

  /// Elements of a where a flag is true, of b where it is false.
  bool merge(Binding& binding, const TwoScatters& both) {
    const std::optional<Flags> by = complementary(both.p, both.q);
    if (!by || !shapes_.same_descriptor(by->descriptor, both.s3)) return false;
    become(binding, Op::kMerge,
           by->swapped ? std::vector{by->flags, both.b, both.a} : std::vector{by->flags, both.a, both.b});
    return true;
  }

  // --- sequences that are split by flags, and put together again
  // ------------------------------------------------------

  void note_count(const Binding& binding) {
    const Var numbers = binding.operands[0];
    if (binding.suffix == Suffix::kInt && is(numbers, Op::kBoolToInt) && shapes_.is_single(binding.operands[1]))
      counts_.try_emplace(operands(numbers)[0], binding.results[0]);
  }

  /// The flags by which `places` moves the elements of a descriptor's single segment, those with false flags to the
  /// front and those with true ones behind: SELECT f (zeros + k) (i - k), if k counts the true flags before an element
  /// i. kNoVar for other places.
  struct Parting {
    Var flags = kNoVar, zeros = kNoVar;
  };
  Parting parting(Var places, Var s) {
    if (!is(places, Op::kSelect) || !shapes_.is_single(s)) return {};
    const Var flags = operands(places)[0], of_true = operands(places)[1], of_false = operands(places)[2];
    if (!is(of_true, Op::kAdd) || !is(of_false, Op::kSubtract)) return {};
    const Var ones = operands(of_false)[1];
    if (!is(ones, Op::kSumScan) || !counts_up(operands(of_false)[0], s)) return {};
    if (!is(operands(ones)[0], Op::kBoolToInt) || operands(operands(ones)[0])[0] != flags) return {};
    if (!shapes_.is_single(operands(ones)[1])) return {};
    const Var spread = operands(of_true)[operands(of_true)[0] == ones ? 1 : 0];
    if (operands(of_true)[0] != ones && operands(of_true)[1] != ones) return {};
    return is(spread, Op::kDist) ? Parting{flags, operands(spread)[0]} : Parting{};
  }

  /// Whether a check has found that two numbers are equal, of which the one and the other are as asked.
  template <class One, class Other>
  bool are_held_equal(One&& one, Other&& other) {
    return std::any_of(held_.begin(), held_.end(), [&](Var flags) {
      if (!is(flags, Op::kEqual)) return false;
      const Var x = operands(flags)[0], y = operands(flags)[1];
      return (one(x) && other(y)) || (one(y) && other(x));
    });
  }
  /// Whether a single segment is certainly as long as so many flags are true.
  bool is_as_long_as(Var segment, Var ones) {
    return shapes_.are_lengths_of(ones, segment) ||
           are_held_equal([&](Var x) { return x == ones; }, [&](Var y) { return shapes_.are_lengths_of(y, segment); });
  }
  /// Whether two single segments are certainly as long as a third together.
  bool are_as_long_as(Var a, Var b, Var s) {
    const auto is_sum = [&](Var x) {
      if (!is(x, Op::kAdd)) return false;
      const Var p = operands(x)[0], q = operands(x)[1];
      return (shapes_.are_lengths_of(p, a) && shapes_.are_lengths_of(q, b)) ||
             (shapes_.are_lengths_of(p, b) && shapes_.are_lengths_of(q, a));
    };
    return are_held_equal(is_sum, [&](Var y) { return shapes_.are_lengths_of(y, s); });
  }
  /// Whether `zeros` is how many flags of a single segment of s are false, if `ones` are true.
  bool is_rest(Var zeros, Var ones, Var s) {
    return is(zeros, Op::kSubtract) && operands(zeros)[1] == ones && shapes_.are_lengths_of(operands(zeros)[0], s);
  }

  Var new_value(Kind kind) {
    function_.values.push_back({kind});
    return static_cast<Var>(function_.values.size() - 1);
  }

  /// What PERMUTE has put to the front, because flags are false, or behind, because they are true, is a PACK.
  bool take_part(Binding& binding, Var start, Var part) {
    const Var all = binding.operands[0];
    if (!is(all, Op::kPermute)) return false;
    const Var x = operands(all)[0], s = operands(all)[2];
    const auto [flags, zeros] = parting(operands(all)[1], s);
    const auto count = counts_.find(flags);
    if (flags == kNoVar || count == counts_.end() || !is_rest(zeros, count->second, s)) return false;
    const bool front = uniform(start) == 0 && shapes_.are_lengths_of(zeros, part);
    if (!front && (start != zeros || !shapes_.are_lengths_of(count->second, part))) return false;
    Var chosen = flags;
    if (front) {
      chosen = new_value(Kind::kBool);
      Binding opposite{.op = Op::kNot, .suffix = Suffix::kBool, .operands = {flags}, .results = {chosen}};
      note(opposite);
      to_->push_back(std::move(opposite));
    }
    become(binding, Op::kPack, {x, chosen, s});
    binding.results.push_back(new_value(Kind::kSegdes));
    harmless_.push_back(all);
    return true;
  }

  /// A gather, from two sequences behind each other, of the first one's next element where a flag is false and of the
  /// second one's where it is true.
  void merge_by_places(Binding& binding) {
    const Var both = binding.operands[0], s = binding.operands[3];
    const auto [flags, zeros] = parting(binding.operands[1], s);
    const auto count = counts_.find(flags);
    if (flags == kNoVar || !is(both, Op::kAppend) || count == counts_.end()) return;
    const Var a = operands(both)[0], b = operands(both)[1], of_a = operands(both)[2], of_b = operands(both)[3];
    if (!shapes_.is_single(of_a) || !shapes_.is_single(of_b) || !shapes_.are_lengths_of(zeros, of_a)) return;
    if (!is_as_long_as(of_b, count->second)) return;
    if (!is_rest(zeros, count->second, s) && !are_as_long_as(of_a, of_b, s)) return;
    become(binding, Op::kMerge, {flags, b, a});
    harmless_.push_back(binding.results[0]);
  }

  bool is_merge_of_lengths(Var to, Var flags, Var of_a, Var of_b) {
    if (!is(to, Op::kMakeSegdes) || !is(operands(to)[0], Op::kMerge)) return false;
    const auto& merged = operands(operands(to)[0]);
    return merged[0] == flags && shapes_.are_lengths_of(merged[1], of_a) && shapes_.are_lengths_of(merged[2], of_b);
  }

  /// The same for segments: `p` counts up from the places where the segments of a begin in the result.
  bool merge_segments(Binding& binding, const TwoScatters& both) {
    if (!is(both.p, Op::kIndex) || !is(both.q, Op::kIndex) || !shapes_.is_single(both.s3)) return false;
    const Var of_a = operands(both.p)[2], of_b = operands(both.q)[2];
    if (uniform(operands(both.p)[1]) != 1 || uniform(operands(both.q)[1]) != 1) return false;
    const Var first = operands(both.p)[0], second = operands(both.q)[0];
    if (!is(first, Op::kBpermute) || !is(second, Op::kBpermute)) return false;
    const Var offsets = operands(first)[0];
    if (operands(second)[0] != offsets || !is(offsets, Op::kOffsets)) return false;
    const Var to = operands(offsets)[0];
    const std::optional<Flags> by = complementary(operands(first)[1], operands(second)[1]);
    if (!by || !shapes_.same_elements(to, both.s3)) return false;
    std::vector<Var> joined{by->flags, both.a, both.b, of_a, of_b, to};
    if (by->swapped) {
      std::swap(joined[1], joined[2]);
      std::swap(joined[3], joined[4]);
    }
    if (!is_merge_of_lengths(to, by->flags, joined[3], joined[4])) return false;
    harmless_.push_back(first);
    harmless_.push_back(second);
    become(binding, Op::kMergeSegments, std::move(joined));
    return true;
  }

  const Program& program_;
  const ConstantPool& pool_;
  Function& function_;
  Definitions definitions_;
  Shapes shapes_;
  std::vector<Binding>* to_ = nullptr;  ///< the block being written
  std::unordered_map<Var, Chosen> chosen_;
  std::unordered_map<Var, Var> counts_;  ///< of flags, how many are true
  std::vector<Var> held_;                ///< flags of checks that have run
  std::vector<Var> harmless_;
};

}  // namespace

/// Pass "ranges": operations that move blocks or find places, in place of index vectors whose elements are places one
/// behind the other.
///   before:  i = INDEX start 1 s   b = BPERMUTE a i t u                  (t and u of one segment)
///            p = INDEX 0 1 s1   q = INDEX (LENGTHS s1) 1 s2   s3 = MAKE_SEGDES (+ (LENGTHS s1) (LENGTHS s2))
///            c = DPERMUTE y q (DPERMUTE x p d s1 s3) s2 s3
///            j = PACK n f t   k = PACK n (NOT f) t   e = DPERMUTE y k (DPERMUTE x j d v t) w t      (n: 0 1 2 …)
///            m = LENGTH i   o = +_SCAN (LENGTHS s) v
///            k = +_SCAN (B_TO_I f) t   z = - (LENGTHS t) (+_REDUCE (B_TO_I f) t)   p = SELECT f (+ k z) (- n k)
///            g = BPERMUTE (PERMUTE x p t) (INDEX 0 1 (MAKE_SEGDES z)) t w   l = BPERMUTE (APPEND x y s1 s2 t) p t t
///            h = MIN_REDUCE (SELECT (= x (DIST (MAX_REDUCE x s) s)) (INDEX 0 1 s) (DIST (LENGTHS s) s)) s
///   after:   b = SLICE a start s   c = APPEND x y s1 s2 s3   e = MERGE f x y   m = ELEMENTS s   o = OFFSETS s
///            g = PACK x (NOT f) t   l = MERGE f y x   (if s1 and s2 are as long as flags are false and true)
///            h = MAX_INDEX x s
/// MERGE_SEGS is what scatters segments to the offsets of the merged lengths. Scatters that others overwrite, and
/// gathers of offsets, cannot fail there, and go if nothing else needs them. O(n log n).
void find_ranges(Program& program) {
  ConstantPool pool(program);
  const ShapeFacts shape_facts = find_shape_facts(program);
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  for (Function& function : program.functions) {
    check_stop();
    RangeFinder finder(program, pool, function, shape_facts);
    finder.run(function.body);
    Safety safety(program, function, lengths);
    for (Var v : finder.harmless()) safety.cannot_fail(v);
    remove_dead_bindings(function, std::move(safety), effects);
  }
}

}  // namespace vcode::letform

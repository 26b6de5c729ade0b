#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fcode-opt/passes.h"
#include "ir/effects.h"
#include "patterns/pattern_finder.h"

namespace vcode::letform {
namespace {

class MoveFinder : public PatternFinder {
 public:
  using PatternFinder::PatternFinder;

 private:
  void rewrite(Binding& binding) override {
    if (binding.op == Op::kSumReduce)
      note_count(binding);
    else if (binding.op == Op::kBpermute && !slice(binding) && !spread(binding) && !read_back(binding) &&
             !read_chosen(binding))
      merge_by_targets(binding);
    else if (binding.op == Op::kExtract)
      extract_from_slice(binding);
    else if (binding.op == Op::kDpermute)
      replace_one(binding);
    else if (binding.op == Op::kSlice && !take_part(binding) && !count_up(binding) && !slice_rows(binding))
      shift(binding);
    else if (binding.op == Op::kSumPermute)
      count(binding);
    else if (binding.op == Op::kMakeSegdes)
      descriptors_.insert_or_assign(binding.operands[0], binding.results[0]);
    else if (binding.op == Op::kDist && !spread_to_chosen(binding))
      spread_by_levels(binding);
  }

  /// Makes an INDEX behind an IF that chooses between it and nothing, with the descriptor that the IF chooses as well.
  void rewrite_if(Binding& choice) override {
    const Block &some = choice.blocks[0], &none = choice.blocks[1];
    if (!some.bindings.empty()) return;
    for (std::size_t k = 0; k < choice.results.size(); ++k) {
      const Var index = some.results[k];
      const Constant* nothing = definitions_.constant(none.results[k], pool_);
      if (!is(index, Op::kIndex) || nothing == nullptr || nothing->size() != 0) continue;
      for (std::size_t j = 0; j < choice.results.size(); ++j) {
        if (some.results[j] != operands(index)[2] || uniform_length(none.results[j]) != 0) continue;
        put_behind({.op = Op::kIndex,
                    .operands = {operands(index)[0], operands(index)[1], choice.results[j]},
                    .results = {choice.results[k]}});
        choice.results[k] = new_value(Kind::kInt);
        break;
      }
    }
  }

  // --- sequences that are split by flags, and put together again ------------------------------------------------

  void note_count(const Binding& binding) {
    const Var numbers = binding.operands[0];
    if (binding.suffix == Suffix::kInt && is(numbers, Op::kBoolToInt) && shapes_.is_single(binding.operands[1]))
      counts_.try_emplace(operands(numbers)[0], binding.results[0]);
  }

  /// Flags by which the permutation `targets` splits a single segment: it moves elements with false flags to the front
  /// and those with true flags after them. The permutation is SELECT f (zeros + k) (i - k), where k is the number of
  /// true flags before element i. kNoVar for other index vectors.
  struct FlagSplit {
    Var flags = kNoVar, zeros = kNoVar;
  };
  FlagSplit parting(Var targets, Var s) {
    if (!is(targets, Op::kSelect) || !shapes_.is_single(s)) return {};
    const Var flags = operands(targets)[0], of_true = operands(targets)[1], of_false = operands(targets)[2];
    if (!is(of_true, Op::kAdd) || !is(of_false, Op::kSubtract)) return {};
    const Var ones = operands(of_false)[1];
    if (!is(ones, Op::kSumScan) || !counts_up(operands(of_false)[0], s)) return {};
    if (!is(operands(ones)[0], Op::kBoolToInt) || operands(operands(ones)[0])[0] != flags) return {};
    if (!shapes_.is_single(operands(ones)[1])) return {};
    const Var spread = operands(of_true)[operands(of_true)[0] == ones ? 1 : 0];
    if (operands(of_true)[0] != ones && operands(of_true)[1] != ones) return {};
    return is(spread, Op::kDist) ? FlagSplit{flags, operands(spread)[0]} : FlagSplit{};
  }

  /// Whether a check has proved two numbers equal, one of which satisfies `one` and the other one `other`.
  template <class One, class Other>
  bool are_held_equal(One&& one, Other&& other) {
    return std::any_of(held_.begin(), held_.end(), [&](Var flags) {
      if (!is(flags, Op::kEqual)) return false;
      const Var x = operands(flags)[0], y = operands(flags)[1];
      return (one(x) && other(y)) || (one(y) && other(x));
    });
  }
  /// Whether the length of a single segment certainly equals the number of true flags.
  bool is_as_long_as(Var segment, Var ones) {
    return shapes_.are_lengths_of(ones, segment) ||
           are_held_equal([&](Var x) { return x == ones; }, [&](Var y) { return shapes_.are_lengths_of(y, segment); });
  }
  /// Whether the lengths of two single segments certainly add up to that of a third.
  bool are_as_long_as(Var a, Var b, Var s) {
    const auto is_sum = [&](Var x) {
      if (!is(x, Op::kAdd)) return false;
      const Var p = operands(x)[0], q = operands(x)[1];
      return (shapes_.are_lengths_of(p, a) && shapes_.are_lengths_of(q, b)) ||
             (shapes_.are_lengths_of(p, b) && shapes_.are_lengths_of(q, a));
    };
    return are_held_equal(is_sum, [&](Var y) { return shapes_.are_lengths_of(y, s); });
  }
  /// Whether `zeros` is the number of false flags over the single segment of s, given that `ones` is the number of true
  /// flags.
  bool is_rest(Var zeros, Var ones, Var s) {
    return is(zeros, Op::kSubtract) && operands(zeros)[1] == ones && shapes_.are_lengths_of(operands(zeros)[0], s);
  }

  /// Rewrites a slice of a PERMUTE by flags as a PACK: its front part has the false flags, its end the true ones.
  bool take_part(Binding& binding) {
    const Var all = binding.operands[0], start = binding.operands[1], part = binding.operands[2];
    if (!is(all, Op::kPermute)) return false;
    const Var x = operands(all)[0], s = operands(all)[2];
    const auto [flags, zeros] = parting(operands(all)[1], s);
    const auto count = counts_.find(flags);
    if (flags == kNoVar || count == counts_.end() || !is_in_scope(count->second) || !is_rest(zeros, count->second, s))
      return false;
    const bool front = uniform(start) == 0 && shapes_.are_lengths_of(zeros, part);
    if (!front && (start != zeros || !shapes_.are_lengths_of(count->second, part))) return false;
    const Var chosen = front ? add(Op::kNot, Suffix::kBool, {flags}) : flags;
    become(binding, Op::kPack, {x, chosen, s});
    binding.results.push_back(new_value(Kind::kSegdes));
    faultless_.push_back(all);
    return true;
  }

  /// Rewrites a gather from two concatenated sequences as a MERGE: where a flag is false it reads the next element of
  /// the first sequence, where the flag is true that of the second one.
  void merge_by_targets(Binding& binding) {
    const Var both = binding.operands[0], s = binding.operands[3];
    const auto [flags, zeros] = parting(binding.operands[1], s);
    const auto count = counts_.find(flags);
    if (flags == kNoVar || !is(both, Op::kAppend)) return;
    if (count == counts_.end() || !is_in_scope(count->second)) return;
    const Var a = operands(both)[0], b = operands(both)[1], of_a = operands(both)[2], of_b = operands(both)[3];
    if (!shapes_.is_single(of_a) || !shapes_.is_single(of_b) || !shapes_.are_lengths_of(zeros, of_a)) return;
    if (!is_as_long_as(of_b, count->second)) return;
    if (!is_rest(zeros, count->second, s) && !are_as_long_as(of_a, of_b, s)) return;
    become(binding, Op::kMerge, {flags, b, a});
    faultless_.push_back(binding.results[0]);
  }

  // --- blocks of elements ----------------------------------------------------------------------------------------

  /// Rewrites a gather of consecutive elements as a SLICE. Both are at fault if an index is out of range.
  bool slice(Binding& gather) {
    const Var indices = gather.operands[1];
    if (!is(indices, Op::kIndex) || uniform(operands(indices)[1]) != 1) return false;
    if (!shapes_.is_single(gather.operands[2]) || !shapes_.is_single(gather.operands[3])) return false;
    become(gather, Op::kSlice, {gather.operands[0], operands(indices)[0], operands(indices)[2]});
    return true;
  }

  /// Rewrites a gather from one segment at its indices, each of them repeated, as a DIST.
  bool spread(Binding& gather) {
    const Var indices = gather.operands[1], s = gather.operands[2];
    if (!is(indices, Op::kDist) || !shapes_.is_single(s) || !counts_up(operands(indices)[0], s)) return false;
    become(gather, Op::kDist, {gather.operands[0], operands(indices)[1]});
    return true;
  }

  /// Rewrites a slice of an INDEX of stride 1 as an INDEX.
  bool count_up(Binding& part) {
    const Var all = part.operands[0], s = part.operands[2];
    if (!is(all, Op::kIndex) || uniform(operands(all)[1]) != 1 || !shapes_.is_single(operands(all)[2])) return false;
    if (!cannot_fail(part)) return false;
    Var first = part.operands[1];
    if (uniform(operands(all)[0]) != 0)
      first = add(Op::kAdd, Suffix::kInt, {first, for_each_segment(operands(all)[0], s)});
    become(part, Op::kIndex, {first, for_each_segment(add_number(1), s), s});
    part.suffix = Suffix::kNone;
    return true;
  }

  /// Rewrites a DIST over segments of one element where a flag is true, and of none elsewhere, as a PACK.
  bool spread_to_chosen(Binding& dist) {
    const Var over = dist.operands[1];
    if (!is(over, Op::kMakeSegdes) || !is(operands(over)[0], Op::kBoolToInt)) return false;
    const Var flags = operands(operands(over)[0])[0];
    become(dist, Op::kPack, {dist.operands[0], flags, one_segment(flags, Suffix::kBool)});
    dist.results.push_back(new_value(Kind::kSegdes));
    return true;
  }

  /// Rewrites a DIST over segments, each of which consists of segments of another descriptor, as one DIST over these
  /// and one over their elements: kernels over the elements then read all values by the same segments. Not if the inner
  /// segments are the elements that flags choose: then nothing is spread over these, as the elements are packed.
  void spread_by_levels(Binding& dist) {
    const Var over = dist.operands[1];
    if (!is(over, Op::kMakeSegdes) || shapes_.is_single(over)) return;
    const Var lengths = operands(over)[0];
    if (!is(lengths, Op::kSumReduce) || is(operands(lengths)[0], Op::kBoolToInt)) return;
    const auto inner = descriptors_.find(operands(lengths)[0]);
    if (inner == descriptors_.end() || !is_in_scope(inner->second)) return;
    const Var outer = operands(lengths)[1];
    become(dist, Op::kDist, {add(Op::kDist, dist.suffix, {dist.operands[0], outer}), inner->second});
  }

  // --- one element of each segment -------------------------------------------------------------------------------

  /// A vector and where the segments of a descriptor begin in it.
  struct Rows {
    Var elements, starts;
  };
  /// The elements of a SLICE over `segments` where they are.
  std::optional<Rows> slices(Var v, Var segments) {
    if (!is(v, Op::kSlice) || !shapes_.same_descriptor(operands(v)[2], segments)) return std::nullopt;
    return Rows{operands(v)[0], operands(v)[1]};
  }
  /// Whether the report of a fault names the program and not the operation.
  bool has_message(const Binding& binding) const {
    return !has_no_message(binding) && !program_.sites[binding.site].message.empty();
  }
  Var lengths(Var descriptor) { return add(Op::kLengths, Suffix::kNone, {descriptor}); }
  Var one_segment(Var v, Suffix suffix) { return add(Op::kMakeSegdes, Suffix::kNone, {add(Op::kLength, suffix, {v})}); }

  /// Adds a BOUND of indices that reports what an operation would. The operation then has no message of its own.
  Var check_before(Binding& binding, Var bounds, Var indices) {
    Binding check = binding;
    become(check, Op::kBound, {bounds, indices});
    check.results = {new_value(Kind::kInt)};
    const Var checked = check.results[0];
    put(std::move(check));
    binding.nest.clear();
    binding.outermost = false;
    binding.location_only = true;
    return checked;
  }

  /// Rewrites an operation that reads element i of each row, at fault if the row has none, as a gather behind BOUND.
  void read_each(Binding& binding, const Rows& rows, Var row_lengths, Var i) {
    const Var place = add(Op::kAdd, Suffix::kInt, {rows.starts, check_before(binding, row_lengths, i)});
    const Var to = one_segment(place, Suffix::kInt), from = one_segment(rows.elements, binding.suffix);
    become(binding, Op::kBpermute, {rows.elements, place, from, to});
    faultless_.push_back(binding.results[0]);
  }

  /// Rewrites a scatter of one element into each segment as REPLACE.
  void replace_one(Binding& scatter) {
    const Var v = scatter.operands[0], i = scatter.operands[1], a = scatter.operands[2], s = scatter.operands[4];
    if (!shapes_.has_single_elements(scatter.operands[3]) || !has_message(scatter)) return;
    const Var checked = check_before(scatter, lengths(s), i);
    become(scatter, Op::kReplace, {a, checked, v, s});
    faultless_.push_back(scatter.results[0]);
  }

  /// Rewrites a gather of one element from each row that flags choose.
  bool read_chosen(Binding& gather) {
    const Var of_rows = gather.operands[2], of_chosen = gather.operands[3];
    if (!is(of_chosen, Op::kMakeSegdes) || !is(operands(of_chosen)[0], Op::kBoolToInt)) return false;
    if (shapes_.is_single(of_rows) || !has_message(gather)) return false;
    const Var flags = operands(operands(of_chosen)[0])[0], all = one_segment(flags, Suffix::kBool);
    const auto chosen = [&](Var numbers) {
      Binding pack{.op = Op::kPack, .suffix = Suffix::kInt, .operands = {numbers, flags, all}};
      pack.results = {new_value(Kind::kInt), new_value(Kind::kSegdes)};
      const Var packed = pack.results[0];
      put(std::move(pack));
      return packed;
    };
    std::optional<Rows> rows = slices(gather.operands[0], of_rows);
    if (!rows) rows = {gather.operands[0], add(Op::kOffsets, Suffix::kNone, {of_rows})};
    rows->starts = chosen(rows->starts);
    read_each(gather, *rows, chosen(lengths(of_rows)), gather.operands[1]);
    return true;
  }

  /// Rewrites EXTRACT from slices that nothing else reads.
  void extract_from_slice(Binding& extract) {
    const Var s = extract.operands[2];
    const std::optional<Rows> rows = slices(extract.operands[0], s);
    if (!rows || uses_[extract.operands[0]] != 1 || shapes_.is_single(s) || !has_message(extract)) return;
    read_each(extract, *rows, lengths(s), extract.operands[1]);
  }

  // --- copies of elements ----------------------------------------------------------------------------------------

  /// Rewrites a gather of all elements that a scatter has written, if nothing else reads the result of the scatter. The
  /// default values of the scatter are then not needed.
  bool read_back(Binding& binding) {
    const Var written = binding.operands[0];
    if (!is(written, Op::kDpermute) || uses_[written] != 1 || operands(written)[1] != binding.operands[1]) return false;
    const auto& scatter = operands(written);
    const Var s1 = scatter[3], s2 = scatter[4];
    if (!shapes_.same_descriptor(s1, binding.operands[3]) || !shapes_.same_descriptor(s2, binding.operands[2]))
      return false;
    std::optional<Binding> taken = take_back(written);
    if (!taken) return false;
    // The binding has the site of the scatter, since only its own targets can be out of range.
    become(*taken, Op::kLatest, {scatter[0], scatter[1], s1, s2});
    taken->results = std::move(binding.results);
    binding = std::move(*taken);
    return true;
  }

  /// Rewrites a +_PERMUTE of ones into zeros as a COUNT_INTS of its places, which BOUND checks: it finds the same
  /// element as the permutation, and the report is the same if the message is that of the site.
  void count(Binding& binding) {
    const Var places = binding.operands[1], s1 = binding.operands[3], s2 = binding.operands[4];
    if (binding.suffix != Suffix::kInt || uniform(binding.operands[0]) != 1 || uniform(binding.operands[2]) != 0)
      return;
    if (!has_message(binding)) return;
    check_before(binding, add(Op::kDist, Suffix::kInt, {lengths(s2), s1}), places);
    become(binding, Op::kCountInts, {places, for_each_segment(add_number(0), s1), s1, s2});
  }

  // --- neighbours ------------------------------------------------------------------------------------------------

  /// Rewrites slices that are rows of an appended nested sequence, one part of which is a part of the other, or both
  /// are of one table, or all elements of one part are the same number: each row is read where it is.
  bool slice_rows(Binding& slice) {
    const Var both = slice.operands[0], starts = slice.operands[1], s = slice.operands[2];
    if (!is(both, Op::kAppend) || uses_[both] != 1 || !cannot_fail(slice)) return false;
    const Var a = operands(both)[0], b = operands(both)[1], of_a = operands(both)[2], of_b = operands(both)[3];
    if (!shapes_.is_single(of_a) || !shapes_.is_single(of_b) || !are_rows_of_append(starts, s, a)) return false;
    const auto is_slice = [&](Var v) { return is(v, Op::kSlice) && shapes_.is_single(operands(v)[2]); };
    const auto table_of = [&](Var v, Var other) {
      return is_slice(v) && (operands(v)[0] == other || (is_slice(other) && operands(v)[0] == operands(other)[0]))
                 ? operands(v)[0]
                 : v;
    };
    const Var table = table_of(a, b);
    const bool is_one_table = table == table_of(b, a);
    if (!is_one_table && !is_one_number(a) && !is_one_number(b)) return false;
    const Var rows = one_segment(starts, Suffix::kInt);
    const Var bounds = add(Op::kDist, Suffix::kInt, {lengths(of_a), rows});
    const auto in_table = [&](Var place, Var part) {
      if (part == table) return place;
      return add(Op::kAdd, Suffix::kInt, {place, add(Op::kDist, Suffix::kInt, {operands(part)[1], rows})});
    };
    const Var of_first = add(Op::kLess, Suffix::kInt, {starts, bounds});
    if (!is_one_table && is_one_number(b)) return choose_rows(slice, a, of_a, starts, of_first, b);
    if (!is_one_table)
      return choose_rows(slice, b, of_b, add(Op::kSubtract, Suffix::kInt, {starts, bounds}),
                         add(Op::kNot, Suffix::kBool, {of_first}), a);
    const Var first = in_table(starts, a), second = in_table(add(Op::kSubtract, Suffix::kInt, {starts, bounds}), b);
    become(slice, Op::kSlice, {table, add(Op::kSelect, Suffix::kInt, {of_first, first, second}), s});
    return true;
  }

  /// Whether all elements of a segment are one number.
  bool is_one_number(Var v) { return is(v, Op::kDist) && shapes_.is_single(operands(v)[1]); }

  /// Rewrites slices as the rows of `table` from `starts` that `flags` choose; all elements of the others are those of
  /// the segment `number`.
  bool choose_rows(Binding& slice, Var table, Var of_table, Var starts, Var flags, Var number) {
    const Var s = slice.operands[2];
    const Var here = add(Op::kIndex, Suffix::kNone, {starts, for_each_segment(add_number(1), s), s});
    const Var chosen = add(Op::kDist, Suffix::kBool, {flags, s});
    const Var all = add(Op::kMakeSegdes, Suffix::kNone, {add(Op::kElements, Suffix::kNone, {s})});
    const Var others = add(Op::kBfpermute, slice.suffix, {table, here, chosen, of_table, all});
    faultless_.push_back(others);
    become(slice, Op::kSelect, {chosen, others, add(Op::kDist, slice.suffix, {operands(number)[0], all})});
    return true;
  }

  /// Whether slices are rows, or consecutive ones among them, of two nested sequences that are appended, the first of
  /// which has the elements of `a`.
  bool are_rows_of_append(Var starts, Var s, Var a) {
    if (!is(s, Op::kMakeSegdes)) return false;
    Var lengths = operands(s)[0];
    if (is(starts, Op::kSlice) && is(lengths, Op::kSlice)) {
      if (operands(starts)[1] != operands(lengths)[1] || !shapes_.is_single(operands(starts)[2]) ||
          !shapes_.same_descriptor(operands(starts)[2], operands(lengths)[2]))
        return false;
      starts = operands(starts)[0];
      lengths = operands(lengths)[0];
    }
    if (!is(starts, Op::kOffsets) || !is(lengths, Op::kAppend)) return false;
    return is(operands(starts)[0], Op::kMakeSegdes) && operands(operands(starts)[0])[0] == lengths &&
           shapes_.is_single(operands(lengths)[2]) && shapes_.add_up_to(operands(lengths)[0], a);
  }

  /// Index in each segment of APPEND, with the result's descriptor t, at which slices begin: 0, 1, or -1 for others.
  std::int64_t first_index(Var starts, Var t) {
    if (shapes_.is_single(t)) return uniform(starts);
    const auto are_offsets = [&](Var v) { return is(v, Op::kOffsets) && shapes_.same_descriptor(operands(v)[0], t); };
    if (are_offsets(starts)) return 0;
    if (!is(starts, Op::kAdd)) return -1;
    const Var x = operands(starts)[0], y = operands(starts)[1];
    return (are_offsets(x) && uniform(y) == 1) || (are_offsets(y) && uniform(x) == 1) ? 1 : -1;
  }

  /// Rewrites slices, as long as the segments of b, of APPEND one b from index 0 of each segment, or of APPEND b one
  /// from index 1. All elements of a segment but one are elements of b, shifted by one index, so b is read without
  /// appending.
  void shift(Binding& binding) {
    const Var both = binding.operands[0], start = binding.operands[1], s = binding.operands[2];
    if (!is(both, Op::kAppend) || uses_[both] != 1 || !cannot_fail(binding)) return;
    const std::int64_t from = first_index(start, operands(both)[4]);
    if (from != 0 && from != 1) return;
    const Var b = operands(both)[from == 0 ? 1 : 0], one = operands(both)[from == 0 ? 0 : 1];
    const Var of_b = operands(both)[from == 0 ? 3 : 2], of_one = operands(both)[from == 0 ? 2 : 3];
    if (!shapes_.has_single_elements(of_one) || !shapes_.same_descriptor(of_b, s)) return;
    const Var first = for_each_segment(add_number(0), s), step = for_each_segment(add_number(1), s);
    const Var steps = add(Op::kDist, Suffix::kInt, {step, s});
    const Var here = add(Op::kIndex, Suffix::kNone, {first, step, s});
    const Var there = add(from == 0 ? Op::kSubtract : Op::kAdd, Suffix::kInt, {here, steps});
    const Var edge = from == 0 ? first : add(Op::kLengths, Suffix::kNone, {s});
    const Var edges = add(Op::kDist, Suffix::kInt, {edge, s});
    const Var inside =
        from == 0 ? add(Op::kGreater, Suffix::kInt, {here, edges}) : add(Op::kLess, Suffix::kInt, {there, edges});
    const Var others = add(Op::kBfpermute, binding.suffix, {b, there, inside, of_b, s});
    faultless_.push_back(others);
    become(binding, Op::kSelect, {inside, others, add(Op::kDist, binding.suffix, {one, s})});
  }

  std::unordered_map<Var, Var> counts_;       ///< number of true elements of each vector of flags
  std::unordered_map<Var, Var> descriptors_;  ///< made of each vector of lengths
};

}  // namespace

/// Pass "permutation-elimination": reads elements at their source instead of moving them and reading them in another
/// order.
///   before:  k = +_SCAN (B_TO_I f) t   z = - (LENGTHS t) (+_REDUCE (B_TO_I f) t)   p = SELECT f (+ k z) (- n k)
///            a = SLICE (PERMUTE x p t) 0 (MAKE_SEGDES z)   b = BPERMUTE (APPEND x y s1 s2 t) p t t
///            c = SLICE (APPEND e y s1 s2 u) 0 s2                    (n: 0 1 2 …; t of one segment; e one element)
///            l = APPEND k (LENGTHS s) r o w   v = SLICE (APPEND (SLICE y g s1) y s1 s2 u) (OFFSETS (MAKE_SEGDES l)) l
///            d = BPERMUTE (DPERMUTE x i e s1 s2) i s2 s1            (where nothing else reads the DPERMUTE)
///            q = BPERMUTE x (DIST n s) t t                          (n: 0 1 2 …)
///            g = BPERMUTE x (INDEX v 1 s) t t   m = SLICE (INDEX v 1 t) w s
///            r = BPERMUTE (SLICE x w s) i s (MAKE_SEGDES (B_TO_I f))   e = EXTRACT (SLICE x w s) i s
///            w = DPERMUTE x i y s1 s2                               (s1: segments of one element)
///            h = +_PERMUTE INT (DIST 1 s1) i (DIST 0 s2) s1 s2
///            u, o = IF c THEN yield t, (INDEX v 1 t) ELSE yield (MAKE_SEGDES 0), ()
///            p = DIST x (MAKE_SEGDES (+_REDUCE l w))            (s: MAKE_SEGDES l)
///            z = DIST x (MAKE_SEGDES (B_TO_I f))
///   after:   a = PACK x (NOT f) t   b = MERGE f y x   (if s1 and s2 are as long as flags are false and true)
///            c = SELECT (> n 0) (BFPERMUTE y (- n 1) (> n 0) s2 s2) e
///            v = SLICE y (SELECT (< o k) (+ o g) (- o k)) l         (o: OFFSETS (MAKE_SEGDES l); k: the length of s1)
///            v = SELECT c (BFPERMUTE y (INDEX (- o k) 1 l) c s2 u) e   (DIST e s1 for SLICE y g s1; c: >= o k)
///            d = LATEST x i s1 s2
///            q = DIST x s
///            u = IF c THEN yield t ELSE yield (MAKE_SEGDES 0)   o = INDEX v 1 u
///            p = DIST (DIST x w) s                                                   z = PACK x f
///            h = COUNT_INTS i 0 s1 s2    after BOUND (DIST (LENGTHS s2) s1) i
///            g = SLICE x v s                    m = INDEX (+ w v) 1 s
///            r = BPERMUTE x (+ (PACK w f) (BOUND (PACK (LENGTHS s) f) i))   e = BPERMUTE x (+ w (BOUND (LENGTHS s) i))
///            w = REPLACE y (BOUND (LENGTHS s2) i) x s2
/// These patterns are the functions split, flag_merge, previous and next of the library, also of rows and in each row.
/// Best after recognize(). O(n log n).
void eliminate_permutations(Program& program) { find_patterns<MoveFinder>(program); }

}  // namespace vcode::letform

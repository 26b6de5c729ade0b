#pragma once

#include <optional>
#include <unordered_map>

#include "patterns/pattern_finder.h"

namespace vcode::letform {

/// Recognizes operations that a function spells out. Each rule rewrites one binding, in the order of the bindings; its
/// comment has the program before, and why the operation after it does the same. Operations that only the old spelling
/// needs, and that cannot fault in it, are removed if nothing else reads their results.
class Recognizer : public PatternFinder {
 public:
  using PatternFinder::PatternFinder;

 private:
  void rewrite(Binding& binding) override;

  // --- the rules: whether the binding has been rewritten

  bool elements_of_result(Binding& length);
  bool elements_by_sum(Binding& sum);
  bool offsets(Binding& scan);
  bool append(Binding& scatter);
  bool merge(Binding& scatter);
  bool merge_segments(Binding& scatter);
  bool extreme_index(Binding& minimum);
  bool count_ints(Binding& choice);

  // --- facts

  /// A PACK of the numbers 0, 1, 2, … of all elements of a single segment: the indices of elements with true flags.
  struct Chosen {
    Var flags, descriptor;
  };
  void note_chosen(const Binding& pack);
  /// Flags that are true for the elements `p` and false for the elements `q`; `swapped`: true for `q` and false for
  /// `p`.
  struct Flags {
    Var flags = kNoVar, descriptor = kNoVar;
    bool swapped = false;
  };
  std::optional<Flags> complementary(Var p, Var q);

  /// DPERMUTE b q (DPERMUTE a p d s1 s3) s2 s3: a scatter whose defaults are the result of a scatter.
  struct TwoScatters {
    Var a, p, s1, b, q, s2, s3, first;
  };
  std::optional<TwoScatters> two_scatters(const Binding& binding);
  /// Whether the first scatter writes to the front of each segment, and the second one directly behind.
  bool are_consecutive(const TwoScatters& both);
  /// Segments of a descriptor with empty segments between them, at these places; made by a scatter of their lengths.
  struct Spread {
    Var segments = kNoVar, places = kNoVar, scatter = kNoVar;
  };
  Spread spread_segments(Var descriptor);
  /// Rewrites the second of two scatters that cannot fault.
  void join(Binding& binding, const TwoScatters& both, Op op, std::vector<Var> operands);

  /// The INTs whose ranks in the segments of s, from 1 on, are `numbers`; kNoVar for other numbers.
  Var ranked(Var numbers, Var s);
  /// Whether flags tell which targets, in the segments of s1, are indices in those of s2.
  bool are_inside(Var flags, Var targets, Var s1, Var s2);
  /// Whether each element equals the length of its segment.
  bool is_length_of_segment(Var v, Var descriptor);

  std::unordered_map<Var, Chosen> chosen_;
};

}  // namespace vcode::letform

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "levels/levels.h"

namespace nesl {

/// Operations on whole values of any type: append, merge, scatter, select.
class WholeValues {
 public:
  WholeValues(FlattenContext& context, Levels& levels) : context_(context), levels_(levels) {}

  /// The FlatValue of a type; appends the kinds of its leaves to `kinds`, and uses positions in that list as variables.
  ValuePtr form_of(Type* type, int level_number, std::vector<Kind>& kinds);
  /// A value of the type at nesting level 0, of zeros and empty sequences.
  ValuePtr placeholder(Type* type);
  /// A value of the type whose variables become further parameters of the function under construction.
  ValuePtr parameter_of(Type* type, const std::string& name);
  ValuePtr string_value(const std::string& text);
  Var characters(const std::string& text);
  /// Appends sequences, instance by instance of the current nesting level: a tree of operations that append three, in
  /// which an element of n sequences is moved log3 n times.
  ValuePtr append(std::span<const ValuePtr> parts);
  /// For each instance of the current nesting level, the entry of `a` where the flag is true (`a` has only those),
  /// otherwise the entry of `b`.
  ValuePtr merge(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// Numbers of the instances whose flag is true.
  Var numbers_of(Var flags);
  /// Scatters the entries of a value to `targets`, which ascend. Other entries are zeros and empty sequences.
  ValuePtr scatter(const ValuePtr& value, Var targets, Var target_single);
  /// Where the elements of a sequence go in another one.
  struct Places {
    Var index;                           ///< within the segment of `to`; of elements with one index the last wins
    Var flags;                           ///< elements whose flag is false go nowhere; kNoVar: all go
    Var from, to;                        ///< descriptors of the sequences
    const Location* location = nullptr;  ///< set if the index may be out of range
  };
  /// The elements `old` with some of `values` in their places.
  ValuePtr put(const ValuePtr& old, const ValuePtr& values, const Places& places);
  ValuePtr select(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// `base` with the elements of `b` at the flagged instances; `b` has only those. Scalars and pairs of them.
  ValuePtr overlay(const ValuePtr& base, Var flags, const ValuePtr& b);
  /// A dummy value of the same form: without instances or, at nesting level 0, of zeros and empty sequences.
  ValuePtr empty_like(const ValuePtr& value, int result_level);
  static bool holds_sequence(const FlatValue& value);

 private:
  Emitter& emit() { return levels_.emit(); }
  Var zero(Kind kind);
  /// Zeros over a descriptor of one segment.
  Var zeros(Kind kind, Var descriptor);
  /// Descriptors of the segments that are merged, and of the result.
  struct MergedSegments {
    Var a, b, merged;
  };
  using MergeEntries = std::function<Var(Var of_a, Var of_b)>;
  ValuePtr merge_parts(Var flags, const ValuePtr& a, const ValuePtr& b, const MergeEntries& merge_entries,
                       const MergedSegments* around);
  /// As put(), for elements that are sequences.
  ValuePtr put_sequences(const ValuePtr& old, const ValuePtr& values, const Places& places);
  ValuePtr put_equally_long(const ValuePtr& old, const ValuePtr& values, Var starts);
  ValuePtr put_by_gather(const ValuePtr& old, const ValuePtr& values, const Places& places);
  Var put_entries(Var old, Var values, const Places& places);
  /// One segment over the elements of all segments.
  Var over_elements(Var segments);
  /// Appends the elements of two or three sequences with these segments; `all`: the segments of the result.
  ValuePtr append_elements(const std::vector<ValuePtr>& parts, const std::vector<Var>& segments, Var all);
  Var sum_of(const std::vector<Var>& numbers);

  FlattenContext& context_;
  Levels& levels_;
};

}  // namespace nesl

#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "program_builder.h"

namespace property {

/// Finds operands of an operation among the visible values, or appends operations that compute them.
class OperandMaker : public ProgramBuilder {
 public:
  using ProgramBuilder::ProgramBuilder;

  /// A vector of this kind and length: a visible one, or a new one.
  ValueId vector(Kind kind, LengthId length, bool must_be_exact = true);
  ValueId visible_vector();
  /// The length of some visible vector.
  LengthId some_length();

  /// A descriptor with the given segments and elements, -1 being any: a visible one, or a new one.
  ValueId descriptor(LengthId segments, LengthId elements, bool no_empty);
  ValueId new_descriptor(LengthId segments, bool no_empty);
  /// A descriptor of one segment whose length is a constant.
  ValueId new_single();

  /// The operands of SLICE, APPEND, APPEND3, MERGE and MERGE_SEGS, made together: their lengths depend on each other.
  std::vector<ValueId> slice_operands(Kind kind);
  std::vector<ValueId> append_operands(Kind kind, int parts);
  std::vector<ValueId> merge_operands(Kind kind, Suffix suffix);
  std::vector<ValueId> merge_segments_operands(Kind kind);

  /// Segment lengths.
  ValueId small_lengths(LengthId length, bool no_empty);
  ValueId random_ints(LengthId length);

  /// An operand with which an operation that can fault does not fault; nothing if any operand of its type will do.
  /// `named` has the descriptors among the operands by the names of their roles.
  std::optional<ValueId> careful_operand(const OpInfo& row, Suffix suffix, const vcode::Role& role, LengthId length,
                                         const std::map<std::string_view, ValueId>& named);

 private:
  ValueId ints_of_length(LengthId length);
  ValueId indices(ValueId indexing, ValueId indexed);
  ValueId segment_indices(ValueId s);
  ValueId associative_floats(vcode::Monoid monoid, LengthId length);
  ValueId small_floats(LengthId length);
};

}  // namespace property

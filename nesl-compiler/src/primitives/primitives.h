#pragma once

#include <string>
#include <vector>

#include "checks.h"
#include "indexing.h"
#include "whole_values.h"

namespace nesl {

/// Primitives of the prelude. Knows nothing of calls and expressions.
class Primitives {
 public:
  Primitives(FlattenContext& context, Levels& levels, WholeValues& values, Checks& checks)
      : context_(context), levels_(levels), values_(values), indexing_(context, levels), checks_(checks) {}

  ValuePtr primitive(const Definition& definition, ValuePtr argument, Type* argument_type, Type* result_type);
  /// put_with by a function of the library that a combining permutation computes; null for other functions.
  ValuePtr combining_put(const ValuePtr& argument);
  /// The first components of the pairs in a sequence whose second component is true.
  ValuePtr pack(const ValuePtr& pairs);

 private:
  Emitter& emit() { return levels_.emit(); }
  /// `failure` is the message for an element at fault.
  ValuePtr instruction(const PrimitiveInstruction& which, const std::string& failure, const ValuePtr& argument,
                       Type* result_type);
  /// Checks that the sequences of all instances of the current nesting level have elements.
  void require_elements(const FlatValue& sequence, const std::string& failure);
  ValuePtr elementwise(Op op, const std::string& failure, const ValuePtr& argument);
  ValuePtr system_instruction(const PrimitiveInstruction& which, const ValuePtr& argument, Type* result_type);
  ValuePtr distribute(const ValuePtr& value, const ValuePtr& count);
  ValuePtr iota(const ValuePtr& start, const ValuePtr& stride, const ValuePtr& count);
  ValuePtr permute(const ValuePtr& sequence, const ValuePtr& indices);
  ValuePtr put(const ValuePtr& values, const ValuePtr& indices, const FlatValue* flags, const ValuePtr& defaults);
  ValuePtr replace(const ValuePtr& sequence, const ValuePtr& value, const ValuePtr& index);
  ValuePtr merge(const ValuePtr& flags, const ValuePtr& a, const ValuePtr& b);
  ValuePtr flatten(const ValuePtr& sequence);
  ValuePtr partition(const ValuePtr& sequence, const ValuePtr& counts);
  ValuePtr occurrences(const ValuePtr& numbers, const ValuePtr& start, const ValuePtr& count);
  ValuePtr stop(const ValuePtr& text, Type* result_type);
  ValuePtr write_text(const ValuePtr& text, const ValuePtr& stream);
  ValuePtr write_object(const ValuePtr& value, const ValuePtr& stream);
  ValuePtr read_object(const ValuePtr& like, const ValuePtr& stream, Type* type);
  /// Whether vectors and descriptors that were read form `count` values of this form.
  Var is_whole(const FlatValue& value, Var count);

  FlattenContext& context_;
  Levels& levels_;
  WholeValues& values_;
  Indexing indexing_;
  Checks& checks_;
};

}  // namespace nesl

#pragma once

#include "levels/levels.h"

namespace nesl {

/// Elements and subsequences at computed indices. Sequences that lie inside a nested sequence are used without a copy.
class Indexing {
 public:
  Indexing(FlattenContext& context, Levels& levels) : context_(context), levels_(levels) {}

  ValuePtr element(const ValuePtr& sequence, const ValuePtr& index, const char* message);
  ValuePtr get(const ValuePtr& sequence, const ValuePtr& indices, const char* message);
  /// The slice of `length` elements from index `start` on. All of them are known to exist.
  ValuePtr subsequence(const FlatValue& sequence, const ValuePtr& start, const ValuePtr& length);

 private:
  Emitter& emit() { return levels_.emit(); }
  ValuePtr element_of_slice(const FlatValue& slice, Var index, const Location& where);

  FlattenContext& context_;
  Levels& levels_;
};

}  // namespace nesl

#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace nesl {

/// A statement that defines or tests something, or a part of it, for an outline of a text.
struct OutlineItem {
  enum class Kind { kFunction, kDatatype, kField, kVariable, kTest, kBench };
  Kind kind = Kind::kFunction;
  std::string name;                  ///< as the text spells it; of a test or benchmark its title
  base::Span span{};                 ///< of the whole statement, of a field that of its name
  base::Span name_span{};            ///< inside `span`
  std::vector<OutlineItem> parts{};  ///< the fields of a datatype
};

/// The outline of a text in its order, by its syntax alone. Of statements with errors of syntax it has functions and
/// datatypes, up to their names.
std::vector<OutlineItem> outline(const base::Source& source);

}  // namespace nesl

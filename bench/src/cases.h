#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "workspace.h"

namespace bench {

/// A case ready to run: the operation by the library and by hand on the same operands.
struct Prepared {
  std::function<void()> library;
  std::function<void()> peer;
  std::function<bool()> agrees;  ///< whether the results of the two are the same
  std::int64_t bytes = 0;        ///< what the operation cannot avoid reading and writing
};

/// One row of the registry.
struct Case {
  std::string_view name;
  std::vector<ElemType> types;
  std::vector<Shape> shapes;
  std::function<Prepared(Workspace&, ElemType)> prepare;
};

/// All benchmarks of vector operations.
std::span<const Case> all_cases();

}  // namespace bench

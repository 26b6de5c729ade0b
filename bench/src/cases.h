#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "workspace.h"

namespace bench {

/// A case ready to run: the operation by the library and by its peer, on the same operands.
struct Prepared {
  std::function<void()> library;
  std::function<void()> peer;
  std::function<bool()> agrees;  ///< true if the results of library and peer are equal
  std::int64_t bytes = 0;        ///< bytes that the operation must read and write
};

/// A benchmark of one vector operation.
struct Case {
  std::string_view name;
  std::vector<ElemType> types;
  std::vector<Shape> shapes;
  std::function<Prepared(Workspace&, ElemType)> prepare;
};

/// All benchmarks of vector operations.
std::span<const Case> all_cases();

}  // namespace bench

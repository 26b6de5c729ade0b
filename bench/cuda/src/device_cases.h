#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "device_workspace.h"

namespace bench::cuda {

/// An operation ready to run.
struct Prepared {
  std::function<void()> issue;
  std::int64_t bytes = 0;           ///< what it cannot avoid to read and write
  const void* sort_keys = nullptr;  ///< of a rank: the keys
};

/// A class of operations.
struct Case {
  std::string_view name;
  std::vector<ElemType> types;
  bool segmented = false;
  Prepared (*prepare)(Workspace&, ElemType) = nullptr;
};

std::span<const Case> all_cases();

}  // namespace bench::cuda

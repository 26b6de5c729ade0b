#pragma once

#include <cstdint>

namespace cvl::cpu {

/// First index that is out of the range of its segment; position -1 if there is none.
struct IndexFault {
  std::int64_t position = -1;
  std::int64_t value = 0;
  std::int64_t bound = 0;

  bool any() const { return position >= 0; }
};

}  // namespace cvl::cpu

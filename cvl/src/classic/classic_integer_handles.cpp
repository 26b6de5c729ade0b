#include "classic/classic_descriptors.h"
#include "cvl/classic_handles.h"

namespace cvl::classic {

/// Handles are computed as unsigned: the handle behind the last of 2^31 - 1 units is 2^31.
void* address(vec_p v) {
  if (v == 0) return nullptr;
  return static_cast<char*>(only_heap()) + (std::int64_t{static_cast<std::uint32_t>(v)} - 1) * kUnitBytes;
}

vec_p handle(const void* v) {
  if (v == nullptr) return 0;
  return static_cast<vec_p>((static_cast<const char*>(v) - static_cast<const char*>(only_heap())) / kUnitBytes + 1);
}

}  // namespace cvl::classic

#include "regions/native_region.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace cvl::cpu {

bool Region::goes_by_segments() const {
  return !folds.empty() || !scans.empty() || !packs.empty() ||
         std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.made != Generated::kNot; });
}

std::size_t Region::Input::made_words() const {
  switch (made) {
    case Generated::kNot:
      return 0;
    case Generated::kSpread:
      return 1;
    case Generated::kProgression:
      return 2;
    case Generated::kSlice:
      return 3;
  }
  VC_CHECK(!"a value of Region::Generated");
  return 0;
}

std::size_t Region::bounds_word() const {
  return std::accumulate(inputs.begin(), inputs.end(), first_made_word(),
                         [](std::size_t n, const Input& input) { return n + input.made_words(); });
}

}  // namespace cvl::cpu

#include "near_name.h"

#include <algorithm>
#include <vector>

namespace nesl {

namespace {

constexpr std::size_t kLongest = 40;  // longer names are not compared

std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1), above(right.size() + 1), row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      std::size_t replace = above[j - 1] + (left[i - 1] != right[j - 1] ? 1 : 0);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[right.size()];
}

}  // namespace

NearName::NearName(std::string_view wanted, std::function<bool(std::string_view)> fits)
    : wanted_(wanted),
      limit_(wanted.size() > kLongest ? 0
             : wanted.size() < 3      ? 0
             : wanted.size() < 6      ? 1
                                      : 2),
      fits_(std::move(fits)) {}

void NearName::consider(std::string_view candidate) {
  if (limit_ == 0 || candidate.size() + limit_ < wanted_.size() || wanted_.size() + limit_ < candidate.size()) return;
  std::size_t found = distance(wanted_, candidate);
  if (found > limit_ || found == 0) return;
  const bool fits = fits_ && fits_(candidate);
  if (!best_.empty() && found == limit_) {
    // Of several that fit as well the alphabetically first, so that messages do not depend on any order.
    if (best_fits_ ? !fits || best_ < candidate : !fits && best_ < candidate) return;
  }
  limit_ = found;
  best_ = candidate;
  best_fits_ = fits;
}

}  // namespace nesl

#include "near_name.h"

#include "base/suggestion.h"

namespace nesl {

namespace {

constexpr std::size_t kLongest = 40;  // longer names are not compared

/// Distance in whole mistakes, rounded up: a mistake in the case of letters counts as one.
std::size_t distance(std::string_view left, std::string_view right) {
  return static_cast<std::size_t>((base::typing_distance(left, right) + base::kTypingMistake - 1) /
                                  base::kTypingMistake);
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
    // Ties are broken alphabetically, so that messages do not depend on the order of the candidates.
    if (best_fits_ ? !fits || best_ < candidate : !fits && best_ < candidate) return;
  }
  limit_ = found;
  best_ = candidate;
  best_fits_ = fits;
}

}  // namespace nesl

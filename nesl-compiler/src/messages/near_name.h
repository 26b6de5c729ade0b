#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace nesl {

/// The beginning of a note that suggests a name; a question mark ends it.
inline constexpr std::string_view kDidYouMean = "did you mean ";

/// Search for the intended spelling of a misspelt name: the candidate with the fewest insertions, deletions,
/// replacements and swaps of neighbours, if these are few for the length of the name.
class NearName {
 public:
  /// Among candidates at equal distance, prefers those for which `fits` is true.
  explicit NearName(std::string_view wanted, std::function<bool(std::string_view)> fits = {});
  void consider(std::string_view candidate);
  /// Empty if no candidate is near.
  const std::string& best() const { return best_; }
  /// The note that suggests best(), which is not empty.
  std::string suggestion() const { return std::string(kDidYouMean) + best_ + "?"; }

 private:
  std::string_view wanted_;
  std::size_t limit_;  // candidates at a larger distance are ignored
  std::string best_;
  std::function<bool(std::string_view)> fits_;
  bool best_fits_ = false;
};

}  // namespace nesl

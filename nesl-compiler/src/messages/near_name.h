#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace nesl {

/// Looks for the name that a misspelt one was probably meant to be: the candidate with the fewest insertions,
/// deletions, replacements and swaps of neighbours, if they are few for the length.
class NearName {
 public:
  /// Of several names that are as near, one is preferred that `fits`.
  explicit NearName(std::string_view wanted, std::function<bool(std::string_view)> fits = {});
  void consider(std::string_view candidate);
  /// Empty if no candidate is near.
  const std::string& best() const { return best_; }

 private:
  std::string_view wanted_;
  std::size_t limit_;  // distances beyond this are of no interest
  std::string best_;
  std::function<bool(std::string_view)> fits_;
  bool best_fits_ = false;
};

}  // namespace nesl

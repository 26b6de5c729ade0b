#pragma once

#include <string>
#include <string_view>

namespace nesl {

/// Looks for the name that a misspelt one was probably meant to be: the candidate with the fewest insertions,
/// deletions, replacements and swaps of neighbours, if they are few for the length.
class NearName {
 public:
  explicit NearName(std::string_view wanted);
  void consider(std::string_view candidate);
  /// Empty if no candidate is near.
  const std::string& best() const { return best_; }

 private:
  std::string_view wanted_;
  std::size_t limit_;  // distances beyond this are of no interest
  std::string best_;
};

}  // namespace nesl

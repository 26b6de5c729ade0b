#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace vcode::letform {

/// Makes names for functions in VCODE: distinct, of permitted characters, short enough for classic interpreters, and
/// otherwise as close to the wanted names as possible.
class Labels {
 public:
  std::string make(std::string_view wanted);

 private:
  std::unordered_map<std::string, int> used_;  ///< how many labels have been made from each name
};

}  // namespace vcode::letform

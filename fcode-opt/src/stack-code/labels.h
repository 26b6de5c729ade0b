#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace vcode::letform {

/// Makes names for functions in VCODE: of permitted characters, short enough for classic interpreters, distinct, and
/// as close to the names asked for as that allows.
class Labels {
 public:
  std::string make(std::string_view wanted);

 private:
  std::unordered_map<std::string, int> used_;  ///< and how many have been made from each
};

}  // namespace vcode::letform

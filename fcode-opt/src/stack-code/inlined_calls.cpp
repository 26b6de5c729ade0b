#include "inlined_calls.h"

#include <vector>

namespace vcode::letform {

std::uint32_t InlinedCalls::take(std::uint32_t call) {
  std::vector<std::uint32_t> missing;  // innermost call first
  for (; call != kNoCall && !taken_.contains(call); call = from_.inlined[call].around) missing.push_back(call);
  std::uint32_t around = call == kNoCall ? kNoCall : taken_.at(call);
  for (; !missing.empty(); missing.pop_back()) {
    const Site& place = from_.sites[from_.inlined[missing.back()].site];
    to_.inlined.push_back({place.file, place.line, place.column, place.function, around});
    around = taken_[missing.back()] = static_cast<std::uint32_t>(to_.inlined.size() - 1);
  }
  return around;
}

}  // namespace vcode::letform

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace interp {

/// Calls that led to a failure, innermost first; the repeated calls of a recursion form one cycle. `Call` has the
/// number of calls `times`, and `same_location(other)`.
template <class Call>
struct CallCycles {
  struct Cycle {
    std::vector<Call> calls;
    std::uint64_t times = 1;  ///< repetitions of the whole cycle
  };
  std::vector<Cycle> cycles;
  std::uint64_t more = 0;  ///< number of calls that are not in `cycles`
};

/// Collects cycles until they have `most` calls. `next` returns one call after the other, possibly 10^8 of them, and
/// then nothing.
template <class Call, class Next>
CallCycles<Call> find_call_cycles(Next&& next, std::size_t most) {
  constexpr std::size_t kLongest = 16;  // calls of the longest cycle that is recognized
  constexpr std::size_t kSure = 3;      // repetitions that make two or more calls a cycle
  CallCycles<Call> result;
  std::deque<Call> ahead;
  const auto look_ahead = [&](std::size_t count) {
    while (ahead.size() < count) {
      std::optional<Call> call = next();
      if (!call) return false;
      ahead.push_back(std::move(*call));
    }
    return true;
  };
  const auto take = [&] {
    if (ahead.empty()) return next();
    std::optional<Call> call = std::move(ahead.front());
    ahead.pop_front();
    return call;
  };
  const auto repeats = [&](std::size_t length) {
    const std::size_t count = length == 1 ? 2 : kSure * length;
    if (!look_ahead(count)) return false;
    for (std::size_t k = length; k < count; ++k)
      if (!ahead[k].same_location(ahead[k - length])) return false;
    return true;
  };
  for (std::size_t shown = 0; look_ahead(1) && shown < most;) {
    std::size_t length = 1;
    while (length <= kLongest && !repeats(length)) ++length;
    if (length > kLongest) length = 1;
    auto& cycle = result.cycles.emplace_back();
    for (std::size_t k = 0; k < length; ++k, ahead.pop_front()) cycle.calls.push_back(std::move(ahead.front()));
    std::vector<Call> begun;  // calls of an incomplete repetition of the cycle
    for (;;) {
      std::optional<Call> call = take();
      if (call) begun.push_back(std::move(*call));
      if (!call || !begun.back().same_location(cycle.calls[begun.size() - 1])) break;
      if (begun.size() < length) continue;
      if (length == 1)
        cycle.calls[0].times += begun[0].times;
      else
        ++cycle.times;
      begun.clear();
    }
    ahead.insert(ahead.begin(), begun.begin(), begun.end());
    shown += length;
  }
  while (const std::optional<Call> call = take()) result.more += call->times;
  return result;
}

}  // namespace interp

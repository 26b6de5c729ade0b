#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "machine/link.h"
#include "runtime/evaluator.h"

namespace interp {

/// Finds recursions that do not end: calls inside each other, from one place, that repeat their arguments. A program
/// that draws no random numbers and reads nothing repeats them for ever. Looks at few of the calls, and only where all
/// elements are on the host.
class RecursionWatch {
 public:
  explicit RecursionWatch(runtime::Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Looks at a call. `depth`: the number of calls around it, of which those of a loop of tail calls count each. `top`:
  /// the values on top of the stack, the arguments among them. Returns the number of elements of the longest value if
  /// the recursion seems to be endless; once only.
  std::optional<std::int64_t> look(const Code* call, std::uint64_t depth, std::span<const runtime::Value> top);

 private:
  struct Seen {
    std::string values;
    std::uint64_t depth = 0;
    int repetitions = 0;
  };
  std::optional<std::string> content_of(std::span<const runtime::Value> values);

  runtime::Evaluator& evaluator_;
  std::map<const Code*, Seen> seen_;  ///< the calls that were looked at
  bool found_ = false;
};

}  // namespace interp

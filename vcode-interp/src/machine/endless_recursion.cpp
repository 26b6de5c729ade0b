#include "machine/endless_recursion.h"

#include <algorithm>
#include <cstring>

#include "cvl/dispatch.h"

namespace interp {

using runtime::Value;

namespace {

/// Calls that a recursion is deeper at least, each time that its arguments are looked at and found to be the same.
constexpr std::uint64_t kDeeper = 256;
/// So many times in a row the arguments are the same.
constexpr int kRepetitions = 3;
/// Longer values are not compared.
constexpr std::int64_t kMostElements = 4096;

}  // namespace

/// The elements of values as bytes; none if they are many, or unknown.
std::optional<std::string> RecursionWatch::content_of(std::span<const Value> values) {
  std::string content;
  for (const Value& value : values) {
    const bool is_segdes = value.is_segdes();
    if (!is_segdes && !value.is_vector()) return std::nullopt;
    if ((is_segdes ? value.segments() : value.length()) > kMostElements) return std::nullopt;
    const Value vector = is_segdes ? evaluator_.lengths_of(value) : value;
    if (!vector.is_vector()) return std::nullopt;
    const std::size_t size = vcode::elem_size(vector.type());
    std::uint64_t scalar = 0;
    if (vector.is_scalar())
      cvl::with_type(vector.type(), [&]<class T>() {
        const T element = vector.get<T>();
        std::memcpy(&scalar, &element, sizeof element);
      });
    const void* const elements = vector.is_scalar() ? &scalar : evaluator_.heap().host_data(vector);
    if (elements == nullptr) return std::nullopt;
    content += static_cast<char>(vector.type());
    content += std::to_string(vector.length()) + ':';
    content.append(static_cast<const char*>(elements), size * static_cast<std::size_t>(vector.length()));
  }
  return content;
}

std::optional<std::int64_t> RecursionWatch::look(const Code* call, std::uint64_t depth, std::span<const Value> top) {
  if (found_ || !evaluator_.heap().device().unified_memory()) return std::nullopt;
  Seen& seen = seen_[call];
  const bool is_deeper = depth >= seen.depth + kDeeper;
  if (depth < kDeeper || (!is_deeper && depth >= seen.depth)) return std::nullopt;
  std::optional<std::string> content = content_of(top);
  if (!content) {
    seen = {};
    return std::nullopt;
  }
  const bool repeats = is_deeper && seen.values == *content;
  seen = {std::move(*content), depth, repeats ? seen.repetitions + 1 : 0};
  if (seen.repetitions < kRepetitions) return std::nullopt;
  found_ = true;
  std::int64_t longest = 0;
  for (const Value& value : top) longest = std::max(longest, value.is_segdes() ? value.elements() : value.length());
  return longest;
}

}  // namespace interp

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nesl_cli {

/// Reads sizes with commas between: 1000, 10K, and ranges FIRST:LAST, whose sizes double from FIRST on and end with
/// LAST, or FIRST:LAST:FACTOR, where they grow by that factor. K, M and G stand for three, six and nine zeros, as in
/// NESL. The result is in ascending order, without duplicates. Nothing, with the reason in `error`, for other texts and
/// for sizes above `largest`.
std::optional<std::vector<std::int64_t>> read_sizes(std::string_view text, std::int64_t largest, std::string& error);

}  // namespace nesl_cli

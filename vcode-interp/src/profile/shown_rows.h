#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "vcode-interp/profile_report.h"

namespace interp {

/// The entries of a map, the one with the most seconds first.
template <class Map, class Row>
std::vector<const typename Map::value_type*> by_seconds(const Map& map, const Row& row_of) {
  std::vector<const typename Map::value_type*> entries;
  for (const auto& entry : map) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto* a, const auto* b) { return row_of(a->second).seconds > row_of(b->second).seconds; });
  return entries;
}

inline const ProfileRow& identity_row(const ProfileRow& row) { return row; }

template <class Map, class Row>
ProfileRow total_of(const Map& map, const Row& row_of) {
  ProfileRow total;
  for (const auto& [name, value] : map) total += row_of(value);
  return total;
}

inline double bytes_per_second(const ProfileRow& row) {
  return row.seconds > 0 ? static_cast<double>(row.bytes) / row.seconds : 0;
}

/// Share of the bandwidth of the machine as text; "-" if it is unknown or no bytes were moved.
inline std::string bandwidth_share(const ProfileRow& row, double bandwidth) {
  if (bandwidth <= 0 || row.bytes == 0) return "-";
  return fmt::format("{:.0f}%", 100 * bytes_per_second(row) / bandwidth);
}

inline double percent_of(const ProfileRow& row, const ProfileRow& total) {
  return total.seconds > 0 ? 100 * row.seconds / total.seconds : 0;
}

/// Numbers in ascending order as text: "7, 9 to 12".
inline std::string ranges_text(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    for (end = begin + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[begin]);
    if (end - begin > 1) text += fmt::format("{}{}", end - begin == 2 ? ", " : " to ", numbers[end - 1]);
  }
  return text;
}

/// "FUSED 3, lines 7 to 9"; a single line is that of the row above.
inline std::string kernel_text(const std::string& name, const Profile::Kernel& kernel) {
  return kernel.lines.size() < 2 ? name : name + ", lines " + ranges_text(kernel.lines);
}

inline const ProfileRow& row_of_line(const Profile::Line& line) { return line.all; }
inline const ProfileRow& row_of_kernel(const Profile::Kernel& kernel) { return kernel.row; }

}  // namespace interp

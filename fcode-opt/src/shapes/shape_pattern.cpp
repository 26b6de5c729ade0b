#include "shape_pattern.h"

#include <algorithm>

#include "vcode/check.h"

namespace vcode::letform {
namespace {
using Entry = ShapePattern::Entry;
using What = Entry::What;
}  // namespace

void number_groups(ShapePattern& pattern) {
  std::vector<std::int64_t> all;
  for (const Entry& entry : pattern.entries)
    if (entry.what == What::kGroup) all.push_back(entry.number);
  std::sort(all.begin(), all.end());
  std::map<std::int64_t, std::int64_t> numbers;
  for (Entry& entry : pattern.entries) {
    if (entry.what != What::kGroup) continue;
    const auto [first, last] = std::equal_range(all.begin(), all.end(), entry.number);
    if (last - first == 1)
      entry = {};
    else
      entry.number = numbers.try_emplace(entry.number, static_cast<std::int64_t>(numbers.size())).first->second;
  }
}

ShapePattern meet(const ShapePattern& a, const ShapePattern& b) {
  VC_CHECK(a.entries.size() == b.entries.size());
  ShapePattern result;
  std::map<std::pair<Entry, Entry>, std::int64_t> groups;
  for (std::size_t k = 0; k < a.entries.size(); ++k) {
    const Entry &first = a.entries[k], &second = b.entries[k];
    Entry& both = result.entries.emplace_back();
    if (first.what == What::kNothing || second.what == What::kNothing) continue;
    if (first.what == What::kNumber && first == second)
      both = first;
    else
      both = {What::kGroup,
              groups.try_emplace({first, second}, static_cast<std::int64_t>(groups.size())).first->second};
  }
  number_groups(result);
  return result;
}

}  // namespace vcode::letform

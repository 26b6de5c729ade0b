#include "vcode/ops.h"

#include <unordered_map>

namespace vcode {

std::optional<Op> find_op(std::string_view text) {
  static const auto* kByText = [] {
    auto* map = new std::unordered_map<std::string_view, Op>;
    for (const OpInfo& row : all_ops()) map->emplace(row.text, row.op);
    return map;
  }();
  auto it = kByText->find(text);
  if (it == kByText->end()) return std::nullopt;
  return it->second;
}

}  // namespace vcode

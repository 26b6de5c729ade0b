#include "vcode/op.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "vcode/op_semantics.h"

namespace vcode {

static_assert(
    [] {
      for (int k = 0; k < kOps; ++k)
        if (kOpRows[k].op != static_cast<Op>(k)) return false;
      return true;
    }(),
    "op_names.inc has the order of ops.def");
constinit const std::array<OpInfo, kOps> detail::kOpTable = std::to_array(kOpRows);
constinit const std::array<MonoidInfo, kMonoids> detail::kMonoidTable = std::to_array(kMonoidRows);

std::optional<Monoid> find_monoid(std::string_view function) {
  const auto* const found = std::ranges::find(kMonoidRows, function, &MonoidInfo::function);
  if (found == std::end(kMonoidRows)) return std::nullopt;
  return found->monoid;
}

Op op_of(OpClass op_class, Monoid monoid) {
  const auto* const found = std::ranges::find_if(
      kOpRows, [&](const OpInfo& row) { return row.op_class == op_class && row.monoid == monoid; });
  VC_CHECK(found != std::end(kOpRows));
  return found->op;
}

bool is_looked_into(const OpInfo& row, int operand) {
  const Role& role = row.signature.operands[operand];
  if (row.op_class != OpClass::kVector || role.type == RoleType::kSegdes) return false;
  for (int o = 0; o < row.signature.operand_count; ++o) {
    const Role& other = row.signature.operands[o];
    if (o != operand && other.type != RoleType::kSegdes && other.length == role.length) return false;
  }
  for (int r = 0; r < row.signature.result_count; ++r) {
    const Role& result = row.signature.results[r];
    if (result.length == role.length || (result.type == RoleType::kSegdes && result.segments == role.length))
      return false;
  }
  return true;
}

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

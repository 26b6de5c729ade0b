#include "shape_pattern.h"

#include <algorithm>

#include "base/check.h"

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

namespace {

/// Relation of a quantity in a piece to that of the whole call. Equal quantities with equal relations are equal in
/// pieces, too.
struct InPiece {
  enum class What : std::uint8_t { kUnknown, kUnchanged, kCount, kEntries } what = What::kUnknown;
  std::uint32_t of = kIndexSpace;  ///< kCount: number of elements of this descriptor in the piece; kEntries: one entry
                                   ///< for each
  friend auto operator<=>(const InPiece&, const InPiece&) = default;  // NOLINT(modernize-use-nullptr): compares with 0
};

InPiece in_piece(const Function& function, std::size_t operand, Quantity Shape::*part) {
  const PieceOperand& cut = function.piece_operands[operand];
  if (cut.how == PieceOperand::How::kShared) return {InPiece::What::kUnchanged};
  const bool is_descriptor = function.values[function.parameters[operand]].kind == Kind::kSegdes;
  const bool is_whole = cut.how == PieceOperand::How::kWhole;
  if (part == &Shape::elements)
    return {InPiece::What::kCount, is_descriptor && !is_whole ? static_cast<std::uint32_t>(operand) : cut.of};
  if (part == &Shape::segments && is_descriptor)
    return is_whole ? InPiece{InPiece::What::kUnchanged} : InPiece{InPiece::What::kCount, cut.of};
  // Sums of a range differ from those of the whole, and are no longer equal to each other.
  if (part == &Shape::total || is_whole) return {};
  return {InPiece::What::kEntries, cut.of};
}

}  // namespace

ShapePattern of_pieces(const ShapePattern& operands, const Function& function) {
  if (function.piece_operands.empty()) return operands;
  ShapePattern result = operands;
  std::map<std::pair<Entry, InPiece>, std::int64_t> groups;
  for (std::size_t k = 0; k < result.entries.size(); ++k) {
    Entry& entry = result.entries[k];
    const InPiece quantity = in_piece(function, k / kShapeParts.size(), kShapeParts[k % kShapeParts.size()]);
    if (quantity.what == InPiece::What::kUnknown) entry = {};
    const bool is_known = entry.what == What::kNumber && quantity.what == InPiece::What::kUnchanged;
    if (entry.what == What::kNothing || is_known) continue;
    // Numbers that are equal in the call stay equal in a piece, but they may change.
    const auto group = groups.try_emplace({entry, quantity}, static_cast<std::int64_t>(groups.size())).first;
    entry = {What::kGroup, group->second};
  }
  number_groups(result);
  return result;
}

}  // namespace vcode::letform

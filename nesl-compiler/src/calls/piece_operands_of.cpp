#include "piece_operands_of.h"

#include <algorithm>

#include "base/check.h"

namespace nesl {

using vcode::PieceOperand;
using vcode::PieceOperands;

namespace {

class PieceOperandList {
 public:
  PieceOperandList(const FlatValue& argument, int own) {
    // The link of level n has a segment for each instance of the level around it.
    piece_operands_.push_back({PieceOperand::How::kWhole, vcode::kIndexSpace});
    for (int level = 2; level <= own; ++level)
      piece_operands_.push_back({PieceOperand::How::kEach, instances(level - 1)});
    if (own > 1) piece_operands_.push_back({PieceOperand::How::kWhole, instances(own)});
    append(argument);
  }

  PieceOperands take() { return std::move(piece_operands_); }

 private:
  /// Parameter, or index space, whose elements or segments correspond to the instances of a level.
  static std::uint32_t instances(int level) {
    return level == 1 ? vcode::kIndexSpace : static_cast<std::uint32_t>(level - 1);
  }

  void append(const FlatValue& value) {
    switch (value.kind) {
      case FlatValue::Kind::kPair:
      case FlatValue::Kind::kFunction:
        for (const ValuePtr& part : value.parts) append(*part);
        break;
      case FlatValue::Kind::kScalar:
      case FlatValue::Kind::kSequence:
        append_elements(
            value, value.level == 0 ? PieceOperand{} : PieceOperand{PieceOperand::How::kEach, instances(value.level)});
        break;
      case FlatValue::Kind::kSlice: {
        const PieceOperand cut =
            value.level == 0 ? PieceOperand{} : PieceOperand{PieceOperand::How::kEach, instances(value.level)};
        piece_operands_.push_back(cut);
        piece_operands_.push_back(cut);
        append_elements(*value.parts[0], PieceOperand{});
        break;
      }
    }
  }

  void append_elements(const FlatValue& value, PieceOperand cut) {
    if (value.var != letform::kNoVar) piece_operands_.push_back(cut);
    const bool is_divided = value.kind == FlatValue::Kind::kSequence && cut.how == PieceOperand::How::kEach;
    if (is_divided) cut.of = static_cast<std::uint32_t>(piece_operands_.size() - 1);
    for (const ValuePtr& part : value.parts) append_elements(*part, cut);
  }

  PieceOperands piece_operands_;
};

bool varies(const FlatValue& value) {
  if (value.kind == FlatValue::Kind::kPair || value.kind == FlatValue::Kind::kFunction)
    return std::all_of(value.parts.begin(), value.parts.end(), [](const ValuePtr& part) { return varies(*part); });
  return value.level > 0;
}

}  // namespace

void note_piece_operands(const FlatValue& argument, int own, const FlatValue& result, letform::Function& function) {
  if (own == 0 || !varies(result)) return;
  function.piece_operands = PieceOperandList(argument, own).take();
  function.piece_operands.resize(function.parameters.size());
}

}  // namespace nesl

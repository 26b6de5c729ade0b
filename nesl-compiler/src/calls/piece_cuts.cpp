#include "piece_cuts.h"

#include <algorithm>

#include "base/check.h"

namespace nesl {

using vcode::Cut;
using vcode::Cuts;

namespace {

class CutList {
 public:
  CutList(const FlatValue& argument, int own) {
    // The link of level n has a segment for each instance of the level around it.
    cuts_.push_back({Cut::How::kWhole, vcode::kIndexSpace});
    for (int level = 2; level <= own; ++level) cuts_.push_back({Cut::How::kEach, instances(level - 1)});
    if (own > 1) cuts_.push_back({Cut::How::kWhole, instances(own)});
    append(argument);
  }

  Cuts take() { return std::move(cuts_); }

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
        append_elements(value, value.level == 0 ? Cut{} : Cut{Cut::How::kEach, instances(value.level)});
        break;
      case FlatValue::Kind::kSlice: {
        const Cut cut = value.level == 0 ? Cut{} : Cut{Cut::How::kEach, instances(value.level)};
        cuts_.push_back(cut);
        cuts_.push_back(cut);
        append_elements(*value.parts[0], Cut{});
        break;
      }
    }
  }

  void append_elements(const FlatValue& value, Cut cut) {
    if (value.var != letform::kNoVar) cuts_.push_back(cut);
    const bool is_cut = value.kind == FlatValue::Kind::kSequence && cut.how == Cut::How::kEach;
    if (is_cut) cut.of = static_cast<std::uint32_t>(cuts_.size() - 1);
    for (const ValuePtr& part : value.parts) append_elements(*part, cut);
  }

  Cuts cuts_;
};

bool varies(const FlatValue& value) {
  if (value.kind == FlatValue::Kind::kPair || value.kind == FlatValue::Kind::kFunction)
    return std::all_of(value.parts.begin(), value.parts.end(), [](const ValuePtr& part) { return varies(*part); });
  return value.level > 0;
}

}  // namespace

void note_cuts(const FlatValue& argument, int own, const FlatValue& result, letform::Function& function) {
  if (own == 0 || !varies(result)) return;
  function.cuts = CutList(argument, own).take();
  function.cuts.resize(function.parameters.size());
}

}  // namespace nesl

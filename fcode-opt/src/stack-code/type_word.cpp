#include "type_word.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace vcode::letform {
namespace {

constexpr std::string_view kLetters = "IBFYS";  // by Kind

/// The only kind of a set; nothing if it has several kinds or is a pair.
std::optional<Kind> only_kind(KindSet kinds) {
  if (!std::has_single_bit(kinds) || kinds == kinds::one(Kind::kPair)) return std::nullopt;
  return static_cast<Kind>(std::countr_zero(kinds));
}

/// Removes the first type from a text and returns it.
TypeWord take_first(std::string_view& text) {
  std::size_t length = 0;
  for (std::size_t missing = 1; missing > 0; ++length) {
    VC_CHECK(length < text.size());
    missing = text[length] == kPairLetter ? missing + 1 : missing - 1;
  }
  TypeWord first(text.substr(0, length));
  text.remove_prefix(length);
  return first;
}

/// Types that a stack effect names, for one choice of inputs.
class Instantiation {
 public:
  explicit Instantiation(const StackEffect& effect) : effect_(effect), known_(effect.types.size()) {}

  void bind(TypeId formal, const TypeWord& actual) {
    known_[formal] = actual;
    const auto& type = effect_.types[formal];
    if (type.first == kNoType || actual[0] != kPairLetter) return;
    std::string_view rest = std::string_view(actual).substr(1);
    bind(type.first, take_first(rest));
    bind(type.second, take_first(rest));
  }

  std::optional<TypeWord> type(TypeId formal) const {
    const auto& type_info = effect_.types[formal];
    if (formal < kGroundTypes) return type_of(static_cast<Kind>(formal));
    if (!known_[formal].empty()) return known_[formal];
    if (std::optional<Kind> kind = only_kind(type_info.kinds)) return type_of(*kind);
    if (type_info.kinds != kinds::one(Kind::kPair) || type_info.first == kNoType) return std::nullopt;
    std::optional<TypeWord> first = type(type_info.first), second = type(type_info.second);
    if (!first || !second) return std::nullopt;
    return kPairLetter + *first + *second;
  }

 private:
  const StackEffect& effect_;
  TypeWords known_;  ///< empty text: unknown
};

}  // namespace

TypeWord type_of(Kind kind) {
  VC_CHECK(kind != Kind::kPair);
  return TypeWord(1, kLetters[static_cast<std::size_t>(kind)]);
}

Kind kind_of(char letter) {
  const std::size_t kind = kLetters.find(letter);
  VC_CHECK(kind != kLetters.npos);
  return static_cast<Kind>(kind);
}

bool has_pairs(const TypeWords& types) {
  return std::any_of(types.begin(), types.end(), [](const TypeWord& type) { return type[0] == kPairLetter; });
}

std::optional<TypeWords> output_types(const StackEffect& effect, const TypeWords& inputs) {
  VC_CHECK(inputs.size() == effect.inputs.size());
  Instantiation types(effect);
  for (std::size_t k = 0; k < inputs.size(); ++k) types.bind(effect.inputs[inputs.size() - 1 - k], inputs[k]);
  TypeWords outputs;
  for (TypeId output : effect.outputs) {
    std::optional<TypeWord> type = types.type(output);
    if (!type) return std::nullopt;
    outputs.push_back(std::move(*type));
  }
  return outputs;
}

std::optional<TypeWords> only_input_types(const StackEffect& effect) {
  TypeWords inputs;
  for (auto input = effect.inputs.rbegin(); input != effect.inputs.rend(); ++input) {
    std::optional<Kind> kind = only_kind(effect.types[*input].kinds);
    if (!kind) return std::nullopt;
    inputs.push_back(type_of(*kind));
  }
  return inputs;
}

}  // namespace vcode::letform

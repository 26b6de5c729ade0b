#include "element_value.h"

#include <stdexcept>

#include <fmt/format.h>

#include "text/result_text.h"

namespace evaluator {

ValuePtr make_string(const std::string& text) {
  Sequence characters;
  for (const unsigned char c : text) characters.push_back(make(Character{c}));
  return make(std::move(characters));
}

std::string string_of(const ElementValue& value) {
  std::string text;
  for (const ValuePtr& character : value.as_sequence())
    text += static_cast<char>(std::get<Character>(character->content).code);
  return text;
}

bool equal(const ElementValue& a, const ElementValue& b) {
  if (const auto* character = std::get_if<Character>(&a.content)) {
    return character->code == std::get<Character>(b.content).code;
  }
  if (const auto* sequence = std::get_if<Sequence>(&a.content)) {
    const Sequence& other = b.as_sequence();
    if (sequence->size() != other.size()) return false;
    for (std::size_t k = 0; k < other.size(); ++k) {
      if (!equal(*(*sequence)[k], *other[k])) return false;
    }
    return true;
  }
  if (std::holds_alternative<std::pair<ValuePtr, ValuePtr>>(a.content)) {
    return equal(*a.first(), *b.first()) && equal(*a.rest(), *b.rest());
  }
  if (const auto* number = std::get_if<std::int32_t>(&a.content)) return *number == b.as_int();
  if (const auto* number = std::get_if<double>(&a.content)) return *number == b.as_float();
  if (const auto* flag = std::get_if<bool>(&a.content)) return *flag == b.as_bool();
  throw std::logic_error("functions are not compared");
}

namespace {

std::string tuple_text(const ElementValue& value, nesl::Type* type) {
  std::string text = to_text(*value.first(), type->arguments[0]) + ", ";
  nesl::Type* rest = nesl::resolve(type->arguments[1]);
  return text +
         (rest->kind == nesl::Type::Kind::kPair ? tuple_text(*value.rest(), rest) : to_text(*value.rest(), rest));
}

std::string string_text(const ElementValue& value) {
  std::string text = "\"";
  for (const char c : string_of(value)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string sequence_text(const ElementValue& value, nesl::Type* type) {
  if (nesl::resolve(type->arguments[0])->kind == nesl::Type::Kind::kChar) return string_text(value);
  std::string text = "[";
  for (const ValuePtr& element : value.as_sequence()) {
    if (text.size() > 1) text += ", ";
    text += to_text(*element, type->arguments[0]);
  }
  return text + "]";
}

}  // namespace

std::string to_text(const ElementValue& value, nesl::Type* type) {
  type = nesl::resolve(type);
  switch (type->kind) {
    case nesl::Type::Kind::kInt:
      return std::to_string(value.as_int());
    case nesl::Type::Kind::kFloat:
      return nesl_cli::float_text(value.as_float());
    case nesl::Type::Kind::kBool:
      return value.as_bool() ? "T" : "F";
    case nesl::Type::Kind::kChar:
      return std::string{'`', static_cast<char>(std::get<Character>(value.content).code)};
    case nesl::Type::Kind::kSequence:
      return sequence_text(value, type);
    case nesl::Type::Kind::kPair:
      return fmt::format("({})", tuple_text(value, type));
    default:
      throw std::logic_error("no text for a value of this type");
  }
}

}  // namespace evaluator

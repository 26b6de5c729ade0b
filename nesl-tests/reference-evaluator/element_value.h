#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "syntax/ast.h"
#include "types/definition.h"
#include "types/nesl_types.h"

namespace evaluator {

struct ElementValue;
using ValuePtr = std::shared_ptr<const ElementValue>;
using Sequence = std::vector<ValuePtr>;
using Locals = std::vector<ValuePtr>;

/// Concrete types for the quantified variables of the definition being evaluated.
struct Substitution {
  std::vector<nesl::Type*> variables, types;
};
using SubstitutionPtr = std::shared_ptr<const Substitution>;

struct Character {
  std::int32_t code;
};

/// A definition used as a value, or a lambda with its variables.
struct Function {
  const nesl::Definition* definition = nullptr;
  std::vector<nesl::Type*> instantiation{};  ///< concrete types
  const nesl::Lambda* lambda = nullptr;
  std::shared_ptr<const Locals> captured{};
  SubstitutionPtr substitution{};
};

/// A NESL value, element by element. The value of a datatype is its contents.
struct ElementValue {
  std::variant<std::int32_t, double, bool, Character, Sequence, std::pair<ValuePtr, ValuePtr>, Function> content;

  std::int32_t as_int() const { return std::get<std::int32_t>(content); }
  double as_float() const { return std::get<double>(content); }
  bool as_bool() const { return std::get<bool>(content); }
  const Sequence& as_sequence() const { return std::get<Sequence>(content); }
  const ValuePtr& first() const { return std::get<std::pair<ValuePtr, ValuePtr>>(content).first; }
  const ValuePtr& rest() const { return std::get<std::pair<ValuePtr, ValuePtr>>(content).second; }
};

template <class Content>
ValuePtr make(Content content) {
  return std::make_shared<const ElementValue>(ElementValue{std::move(content)});
}
ValuePtr make_string(const std::string& text);
std::string string_of(const ElementValue& value);

/// Equality of values of one type; functions are not compared.
bool equal(const ElementValue& a, const ElementValue& b);
/// The value as the top level prints it, with sequences in full. Not for datatypes and functions.
std::string to_text(const ElementValue& value, nesl::Type* type);

}  // namespace evaluator

#include "value_unit.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "facts/expression_facts.h"

namespace nesl {

std::string pattern_text(const Pattern& pattern, bool enclosed) {
  switch (pattern.kind) {
    case Pattern::Kind::kVariable:
      return pattern.name;
    case Pattern::Kind::kPair: {
      const std::string both = pattern_text(*pattern.parts[0], false) + ", " + pattern_text(*pattern.parts[1], true);
      return enclosed ? both : "(" + both + ")";
    }
    case Pattern::Kind::kData:
      return pattern.name + "(" + pattern_text(*pattern.parts[0], true) + ")";
  }
  VC_CHECK(false);
  return {};
}

void make_value(Unit& unit, std::shared_ptr<GlobalStatement> statement) {
  unit.kind = Unit::Kind::kValue;
  unit.name = pattern_text(*statement->pattern, false);
  unit.type = to_text(generalize(statement->pattern->type));
  unit.statement = std::move(statement);
}

namespace {

bool holds_function(const ValueShape& shape) {
  return shape.kind == ValueShape::Kind::kFunction || std::ranges::any_of(shape.parts, holds_function);
}

}  // namespace

bool add_parameters(Unit& unit, const char* refusal, base::Diagnostics& diagnostics) {
  bool good = true;
  if (unit.statement->parameter == nullptr) return good;
  for_each_variable(*unit.statement->parameter, [&](const Pattern& parameter) {
    unit.parameters.push_back(shape_of(parameter.type));
    if (!holds_function(unit.parameters.back())) return;
    diagnostics.error(parameter.span, refusal).code = "type";
    good = false;
  });
  return good;
}

}  // namespace nesl

#include "mismatch_text.h"

#include <fmt/format.h>

#include "base/check.h"
#include "definition.h"
#include "messages/reporter.h"

namespace nesl {

namespace {

bool is_free(Type* type) {
  type = resolve(type);
  return type->kind == Type::Kind::kVariable && type->type_class == TypeClass::kAny;
}

bool is_kind(Type* type, Type::Kind kind) { return resolve(type)->kind == kind; }

// `text`, but "a sequence" instead of "[a]" for a type whose parts are unknown.
std::string expectation(Type* type, const std::string& text) {
  type = resolve(type);
  if (type->kind == Type::Kind::kVariable && type->type_class != TypeClass::kAny) return members_text(type->type_class);
  if (type->kind == Type::Kind::kSequence && is_free(type->arguments[0])) return "a sequence";
  if (type->kind == Type::Kind::kPair && is_free(type->arguments[0]) && is_free(type->arguments[1])) return "a pair";
  return text;
}

}  // namespace

std::string members_text(TypeClass type_class) {
  switch (type_class) {
    case TypeClass::kAny:
      return "of any type";
    case TypeClass::kScalar:
      return "a scalar (int, float, bool or char)";
    case TypeClass::kOrdinal:
      return "ordinal (int, float, char, or sequences and tuples of these)";
    case TypeClass::kNumber:
      return "a number (int or float)";
    case TypeClass::kLogical:
      return "logical (int or bool)";
    case TypeClass::kLiteral:
      return "int";
  }
  VC_CHECK(false);
  return "";
}

std::string mismatch_text(Type* expected, Type* found, const Mismatch& mismatch) {
  if (mismatch.kind == Mismatch::Kind::kTooLarge) return fmt::format("has a type of more than {} parts", kMaxTypeSize);
  std::vector<std::string> texts = to_texts({expected, found});
  if (mismatch.kind == Mismatch::Kind::kInfinite)
    return fmt::format("would have an infinite type, with {} equal to {}", texts[0], texts[1]);
  std::string wanted = expectation(expected, texts[0]);
  return fmt::format("must be {}, but is {}", wanted, wanted == texts[0] ? texts[1] : to_texts({found})[0]);
}

namespace {

bool is_opaque(const Type* type) { return type->kind == Type::Kind::kData && type->datatype->scheme.type == nullptr; }

void explain_opaque(base::Diagnostic& error, const Type* type) {
  add_note(error,
           fmt::format("{0} is a type variable that a signature uses without :: ({0} in any)", type->datatype->name));
}

void explain_numbers(base::Diagnostic& error, bool int_found) {
  add_note(error, int_found ? "float(x) makes a float of an int"
                            : "int and float do not mix: float(x) makes a float of an int, round(x) an int of a float");
}

}  // namespace

void explain(base::Diagnostic& error, Type* expected, Type* found, const Mismatch& mismatch, const Expr* expression) {
  const auto* name = expression == nullptr ? nullptr : std::get_if<Name>(&expression->node);
  if (name != nullptr && (name->name == "t" || name->name == "f") && is_kind(expected, Type::Kind::kBool))
    add_note(error, fmt::format("{} is defined by the program here; the truth value is also written {}", name->name,
                                name->name == "t" ? "true" : "false"));
  Type* left = mismatch.left;
  Type* right = mismatch.right;
  switch (mismatch.kind) {
    case Mismatch::Kind::kInfinite:
      add_note(error, "no type is a part of itself");
      return;
    case Mismatch::Kind::kTooLarge:
      return;
    case Mismatch::Kind::kClass:
      if (!is_kind(expected, Type::Kind::kVariable))
        add_note(error, fmt::format("{} is not {}", to_texts({left})[0], members_text(mismatch.type_class)));
      if (is_opaque(left)) explain_opaque(error, left);
      if (left->kind == Type::Kind::kSequence && !is_kind(left->arguments[0], Type::Kind::kChar))
        add_note(error, "to compute with every element, write { ... x ... : x in the sequence }");
      return;
    case Mismatch::Kind::kShape:
      break;
  }
  bool exact = resolve(expected)->kind != Type::Kind::kSequence && resolve(expected)->kind != Type::Kind::kPair;
  if (is_opaque(left))
    explain_opaque(error, left);
  else if (left->kind == Type::Kind::kFloat && right->kind == Type::Kind::kInt)
    explain_numbers(error, true);
  else if (left->kind == Type::Kind::kInt && right->kind == Type::Kind::kFloat)
    explain_numbers(error, false);
  else if (exact && is_kind(found, Type::Kind::kSequence) && resolve(resolve(found)->arguments[0]) == resolve(expected))
    add_note(error, "to compute with every element, write { ... x ... : x in the sequence }");
}

}  // namespace nesl

#include "mismatch_text.h"

#include <fmt/format.h>

#include "definition.h"
#include "reporter.h"

namespace nesl {

namespace {

bool is_free(Type* type) {
  type = resolve(type);
  return type->kind == Type::Kind::kVariable && type->type_class == TypeClass::kAny;
}

bool is_kind(Type* type, Type::Kind kind) { return resolve(type)->kind == kind; }

// Says "a sequence" rather than "[a]" where nothing more is known.
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
      return "ordinal (int, float or char)";
    case TypeClass::kNumber:
      return "a number (int or float)";
    case TypeClass::kLogical:
      return "logical (int or bool)";
  }
  return "";
}

std::string must_be_text(Type* expected, Type* found) {
  std::vector<std::string> texts = to_texts({expected, found});
  return fmt::format("must be {}, but is {}", expectation(expected, texts[0]), texts[1]);
}

void explain(vcode::Diagnostic& error, Type* expected, Type* found, const Mismatch& mismatch) {
  if (mismatch.kind == Mismatch::Kind::kInfinite) {
    add_note(error, "no type is a part of itself: the same value would have to be both of these types");
    return;
  }
  if (mismatch.kind == Mismatch::Kind::kTooLarge) {
    add_note(error, fmt::format("the types have more than {} parts", kMaxTypeSize));
    return;
  }
  Type* left = mismatch.left;
  if (mismatch.kind == Mismatch::Kind::kClass) {
    if (!is_kind(expected, Type::Kind::kVariable))
      add_note(error, fmt::format("{} is not {}", to_texts({left})[0], members_text(mismatch.type_class)));
    if (left->kind == Type::Kind::kSequence && mismatch.type_class != TypeClass::kAny)
      add_note(error, "to compute with every element, write { ... x ... : x in the sequence }");
    if (left->kind == Type::Kind::kData && left->datatype->scheme.type == nullptr)
      add_note(error, fmt::format("{} is a type variable that a signature uses without a class", left->datatype->name));
    return;
  }
  Type* right = mismatch.right;
  if (left->kind == Type::Kind::kData && left->datatype->scheme.type == nullptr)
    add_note(error,
             fmt::format("{0} is a type variable that a signature uses without a class: it needs :: ({0} in any)",
                         left->datatype->name));
  if (left->kind == Type::Kind::kFloat && right->kind == Type::Kind::kInt)
    add_note(error, "float(x) makes a float of an int; a constant is written with a point, 1.0");
  else if (left->kind == Type::Kind::kInt && right->kind == Type::Kind::kFloat)
    add_note(error,
             "an int and a float do not mix: float(x) makes a float of an int; round, trunc, floor and ceil make "
             "an int of a float; the constant 1 is written 1.0 as a float");
  else if (is_kind(found, Type::Kind::kSequence) && left == resolve(expected) &&
           resolve(resolve(found)->arguments[0]) == left)
    add_note(error, "to compute with every element, write { ... x ... : x in the sequence }");
}

}  // namespace nesl

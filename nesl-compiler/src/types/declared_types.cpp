#include "declared_types.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/check.h"
#include "messages/foreign_words.h"
#include "messages/near_name.h"

namespace nesl {

namespace {

constexpr std::string_view kScalars[] = {"int", "float", "bool", "char"};

std::optional<TypeClass> class_named(const std::string& name) {
  for (TypeClass type_class :
       {TypeClass::kAny, TypeClass::kScalar, TypeClass::kOrdinal, TypeClass::kNumber, TypeClass::kLogical})
    if (name == to_text(type_class)) return type_class;
  return std::nullopt;
}

Type* scalar_named(TypeStore& types, const std::string& name) {
  if (name == "int") return types.int_;
  if (name == "float") return types.float_;
  if (name == "bool") return types.bool_;
  if (name == "char") return types.char_;
  return nullptr;
}

}  // namespace

void DeclaredTypes::introduce(const std::vector<ContextEntry>& context) {
  for (const ContextEntry& entry : context) {
    auto same_name = [&](const auto& known) { return known.first == entry.variable; };
    if (std::any_of(introduced_.begin(), introduced_.end(), same_name)) {
      reporter_.error(entry.span, "type", fmt::format("the type variable {} is introduced twice", entry.variable));
      continue;
    }
    Type* meaning = nullptr;
    if (std::optional<TypeClass> type_class = class_named(entry.class_name)) {
      meaning = types_.variable(*type_class);
    } else if (Type* scalar = scalar_named(types_, entry.class_name)) {
      meaning = scalar;
    } else if (Definition* datatype = environment_.find_datatype(entry.class_name);
               datatype != nullptr && resolve(datatype->scheme.type->arguments[1])->arguments.empty()) {
      meaning = resolve(datatype->scheme.type->arguments[1]);
    } else {
      base::Diagnostic& error =
          reporter_.error(entry.span, "unbound-type", fmt::format("there is no type class {}", entry.class_name));
      add_note(error, "the classes are any, scalar, ordinal, number and logical");
      meaning = types_.variable(TypeClass::kAny);
    }
    introduced_.emplace_back(entry.variable, meaning);
  }
}

Type* DeclaredTypes::signature(const TypeDecl& declared) {
  VC_CHECK(declared.type != nullptr);
  introduce(declared.context);
  in_signature_ = true;
  Type* type = convert(*declared.type);
  in_signature_ = false;
  return type;
}

Type* DeclaredTypes::convert(const TypeExpr& type) {
  switch (type.kind) {
    case TypeExpr::Kind::kName:
      return named(type);
    case TypeExpr::Kind::kApply:
      return applied(type);
    case TypeExpr::Kind::kSequence:
      return types_.sequence(convert(*type.arguments[0]));
    case TypeExpr::Kind::kPair: {
      Type* first = convert(*type.arguments[0]);
      return types_.pair(first, convert(*type.arguments[1]));
    }
    case TypeExpr::Kind::kFunction: {
      Type* argument = convert(*type.arguments[0]);
      return types_.function(argument, convert(*type.arguments[1]));
    }
  }
  VC_CHECK(false);
  return nullptr;
}

Type* DeclaredTypes::named(const TypeExpr& type) {
  for (const auto& [name, meaning] : introduced_)
    if (name == type.name) return meaning;
  if (Type* scalar = scalar_named(types_, type.name)) return scalar;
  if (type.name == being_defined_) return unknown(type.span, type.name);
  Definition* datatype = environment_.find_datatype(type.name);
  if (datatype == nullptr)
    return in_signature_ && type.name.size() == 1 ? undeclared(type) : unknown(type.span, type.name);
  note_datatype(type, *datatype);
  Type* result = resolve(datatype->scheme.type->arguments[1]);
  if (result->arguments.empty()) return result;
  reporter_.error(type.span, "type",
                  fmt::format("the datatype {} needs its type arguments: {}", type.name, to_texts({result})[0]));
  return types_.variable(TypeClass::kAny);
}

void DeclaredTypes::note_datatype(const TypeExpr& type, const Definition& datatype) {
  if (NameUses* const uses = environment_.name_uses())
    uses->add(type.name, {.place = {&reporter_.source(), type.span}, .definition = &datatype});
}

Type* DeclaredTypes::applied(const TypeExpr& type) {
  Definition* datatype = type.name == being_defined_ ? nullptr : environment_.find_datatype(type.name);
  if (datatype == nullptr) return unknown(type.span, type.name);
  note_datatype(type, *datatype);
  Type* result = resolve(datatype->scheme.type->arguments[1]);
  std::size_t wanted = result->arguments.size();
  std::vector<Type*> arguments;
  const TypeExpr* rest = type.arguments[0].get();
  for (; arguments.size() + 1 < wanted && rest->kind == TypeExpr::Kind::kPair; rest = rest->arguments[1].get())
    arguments.push_back(convert(*rest->arguments[0]));
  arguments.push_back(convert(*rest));
  if (arguments.size() != wanted) {
    reporter_.error(type.span, "type",
                    fmt::format("the datatype {} takes {} type argument{}, not {}", type.name, wanted,
                                wanted == 1 ? "" : "s", arguments.size()));
    return types_.variable(TypeClass::kAny);
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    TypeClass needed = resolve(result->arguments[i])->type_class;
    if (is_member(arguments[i], needed)) continue;
    reporter_.error(type.span, "type",
                    fmt::format("{} does not belong to the class {}, which {} needs", to_texts({arguments[i]})[0],
                                to_text(needed), to_texts({result})[0]));
  }
  return types_.data(datatype, std::move(arguments));
}

bool DeclaredTypes::names_type(const std::string& name) const {
  return std::find(std::begin(kScalars), std::end(kScalars), name) != std::end(kScalars) ||
         environment_.find_datatype(name) != nullptr || hint_for_type(name) != nullptr;
}

Type* DeclaredTypes::unknown(Span span, const std::string& name) {
  base::Diagnostic& error = reporter_.error(span, "unbound-type", fmt::format("there is no type {}", name));
  if (name == being_defined_) {
    error.message = fmt::format("the datatype {} contains itself", name);
    add_note(error, "recursive datatypes are not supported: keep the parts in a sequence and refer to them by index");
    return types_.variable(TypeClass::kAny);
  }
  if (const char* hint = hint_for_type(name)) {
    add_note(error, hint);
    return types_.variable(TypeClass::kAny);
  }
  NearName near(name);
  for (std::string_view scalar : kScalars) near.consider(scalar);
  for (const Definition* known : environment_.datatypes()) near.consider(known->name);
  if (!near.best().empty())
    add_note(error, near.suggestion());
  else if (name.size() == 1)
    add_note(error, fmt::format("a type variable needs a class: add :: ({} in any) to the declared type", name));
  return types_.variable(TypeClass::kAny);
}

Type* DeclaredTypes::undeclared(const TypeExpr& type) {
  base::Diagnostic& warning = reporter_.warning(
      type.span, fmt::format("the type variable {} has no class, so no value has this type", type.name));
  add_note(warning, fmt::format("add :: ({} in any) after the type", type.name));
  Type* opaque = types_.data(&environment_.create({.kind = Definition::Kind::kDatatype, .name = type.name}), {});
  introduced_.emplace_back(type.name, opaque);
  return opaque;
}

}  // namespace nesl

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "environment.h"
#include "messages/reporter.h"
#include "nesl_types.h"
#include "syntax/ast.h"

namespace nesl {

/// Reads the types that a statement spells out: its signature, and the `[] type` in its body, which may use the
/// type variables of the signature.
class DeclaredTypes {
 public:
  DeclaredTypes(Environment& environment, TypeStore& types, Reporter& reporter)
      : environment_(environment), types_(types), reporter_(reporter) {}

  /// Introduces the variables of a context. A concrete type instead of a class stands for the variable.
  void introduce(const std::vector<ContextEntry>& context);
  /// The type of a declaration that has one. A variable without a class becomes a type without values, with a warning.
  Type* signature(const TypeDecl& declared);
  /// A type whose names must all be known. An error leaves a fresh variable in its place.
  Type* convert(const TypeExpr& type);
  /// Whether a name is that of a scalar type or a datatype, or one that other languages have for such a type.
  bool names_type(const std::string& name) const;
  /// What the context introduced, in its order.
  const std::vector<std::pair<std::string, Type*>>& introduced() const { return introduced_; }
  /// Forbids a datatype to mention itself.
  void set_being_defined(const std::string& datatype) { being_defined_ = datatype; }

 private:
  Type* named(const TypeExpr& type);
  Type* applied(const TypeExpr& type);
  Type* unknown(Span span, const std::string& name);
  Type* undeclared(const TypeExpr& type);

  Environment& environment_;
  TypeStore& types_;
  Reporter& reporter_;
  std::vector<std::pair<std::string, Type*>> introduced_;
  std::string being_defined_;
  bool in_signature_ = false;
};

}  // namespace nesl

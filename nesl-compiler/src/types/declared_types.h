#pragma once

#include <string>
#include <utility>
#include <vector>

#include "environment.h"
#include "messages/reporter.h"
#include "nesl_types.h"
#include "syntax/ast.h"

namespace nesl {

/// Types that a statement spells out: those of its signature, and of each `[] type` in its body, which may use the type
/// variables of the signature.
class DeclaredTypes {
 public:
  DeclaredTypes(Environment& environment, TypeStore& types, Reporter& reporter)
      : environment_(environment), types_(types), reporter_(reporter) {}

  /// Introduces the variables of a context. If a concrete type takes the place of a class, the variable stands for that
  /// type.
  void introduce(const std::vector<ContextEntry>& context);
  /// Returns the type of a declaration that has one. A variable without a class becomes a type without values, with a
  /// warning.
  Type* signature(const TypeDecl& declared);
  /// Converts a type, of which all names must be known. After an error, returns a type with a fresh variable in place
  /// of the faulty part.
  Type* convert(const TypeExpr& type);
  /// Whether a name is a scalar type, a datatype, or the name of such a type in other languages.
  bool names_type(const std::string& name) const;
  /// Variables introduced by the context, in order.
  const std::vector<std::pair<std::string, Type*>>& introduced() const { return introduced_; }
  /// Makes it an error that the datatype mentions itself.
  void set_being_defined(const std::string& datatype) { being_defined_ = datatype; }

 private:
  Type* named(const TypeExpr& type);
  Type* applied(const TypeExpr& type);
  Type* unknown(Span span, const std::string& name);
  void note_datatype(const TypeExpr& type, const Definition& datatype);
  Type* undeclared(const TypeExpr& type);

  Environment& environment_;
  TypeStore& types_;
  Reporter& reporter_;
  std::vector<std::pair<std::string, Type*>> introduced_;
  std::string being_defined_;
  bool in_signature_ = false;
};

}  // namespace nesl

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "declared_types.h"
#include "environment.h"
#include "messages/reporter.h"
#include "nesl_types.h"
#include "scope.h"
#include "syntax/ast.h"
#include "unify.h"

namespace nesl {

/// True if the text has parentheses around a tuple. The parser sees no difference between f(1, (2, 3)) and f(1, 2, 3).
bool is_parenthesized(const base::Source& source, const Expr& tuple);

/// What a pattern is bound to, in messages: by a statement, and by let.
inline constexpr std::string_view kAssigned = "the value assigned to it", kBound = "the value bound to it";

/// The number of parts of a tuple pattern; 1 for any other pattern.
std::size_t count_parts(const Pattern& pattern);

/// Resolves the names and infers the types of one statement, and writes both into its syntax tree. After an error
/// inference goes on: what could not be typed gets a fresh variable, which fits everything.
class Inference {
 public:
  Inference(Environment& environment, TypeStore& types, Reporter& reporter);

  /// The function being defined. Within its body it has one type.
  struct Self {
    const Definition* definition = nullptr;  ///< name, parameter and optional arguments are set
    Type* type = nullptr;
  };
  void set_self(Self self) { self_ = self; }

  DeclaredTypes& declared() { return declared_; }
  Type* infer(Expr& expression);
  /// Binds the variables of a pattern, which has the type `type`, in the current scope. `what` describes the value in
  /// messages.
  void bind(Pattern& pattern, Type* type, std::string_view what);
  /// Whether a pattern means to take a value of a datatype apart that does not exist: in let g(x) = x a function is
  /// meant, and the value would only be reported to lack x.
  bool takes_unknown_apart(const Pattern& pattern) const;
  /// Makes `found` equal to `expected`, or reports that `what` must be something else.
  bool require(Span span, std::string_view what, Type* expected, Type* found, const Expr* expression = nullptr);
  bool require(const Expr& expression, std::string_view what, Type* expected);

  /// Finds the datatypes of the fields whose record had no type yet when its expression was inferred.
  void settle_fields();
  /// Reports the first [] that leaves a part of the type of a value unknown.
  void check_empty_sequences(Type* type);
  /// Type variables that are neither in `quantified` nor determined by anything become int.
  void close(const std::vector<Type*>& quantified);
  /// Lets the references of the body to the function itself point to `definition`.
  void resolve_self(Definition& definition);
  /// From now on, remembers the references to this definition.
  void watch(const Definition* definition) { watched_ = definition; }
  const std::vector<const Expr*>& watched() const { return watched_references_; }

  std::uint32_t locals() const { return locals_; }
  const std::vector<Definition::Use>& uses() const { return uses_; }

 private:
  Type* fresh(TypeClass type_class = TypeClass::kAny);
  Type* instantiate(const Scheme& scheme, std::vector<Type*>& instantiation);

  Type* node(Expr& e, IntLiteral&);
  Type* node(Expr& e, FloatLiteral&);
  Type* node(Expr& e, BoolLiteral&);
  Type* node(Expr& e, CharLiteral&);
  Type* node(Expr& e, StringLiteral&);
  Type* node(Expr& e, Name& name);
  Type* node(Expr& e, Call& call);
  Type* node(Expr& e, Pair& pair);
  Type* node(Expr& e, If& conditional);
  Type* node(Expr& e, Let& let);
  Type* node(Expr& e, Lambda& lambda);
  Type* node(Expr& e, SequenceLiteral& literal);
  Type* node(Expr& e, EmptySequence& empty);
  Type* node(Expr& e, Field& field);
  Type* node(Expr& e, Each& each);
  Type* node(Expr& e, Time& time);
  Type* node(Expr& e, OptionalArgument& argument);

  Type* global(const Expr& e, Name& name, Definition& definition);
  void use(Definition* definition, Span span);
  void report_unbound(const Expr& e, const Name& name, Type* argument);
  bool takes(std::string_view name, Type* argument);
  bool is_unbound(const Name& name) const;
  void bind_pair(Pattern& pattern, Type* type, std::string_view what);
  void bind_data(Pattern& pattern, Type* type, std::string_view what);
  void report_no_datatype(const Pattern& pattern, std::string_view what);
  bool same_functions(const Expr& one, const Expr& other) const;
  void reject_choice(const Expr& one, const Expr& other, std::string_view what);

  // infer_field.cpp
  struct PendingField {
    const Expr* expression;
    Field* field;
    Type* type;  // of the field
  };
  bool settle(const PendingField& pending);
  void report_no_field(const PendingField& pending, const Definition& datatype);
  void report_no_record(const PendingField& pending, Type* type);

  // infer_call.cpp
  struct Place {
    const Expr& part;
    Type* expected;
    std::size_t before;  // arguments to the left
    std::size_t wanted;  // arguments in all
    bool last;           // nothing is to the right in the call, or in the function's type
  };
  bool apply(const Expr& function, Type* formal, const Expr& argument);
  void report_not_a_function(const Expr& function, const Expr& argument, Type* type);
  void report_argument(const Expr& function, const Expr& argument, const Place& place, const Mismatch& mismatch);
  void check_choices(const Expr& function, const Expr& argument);
  const Definition* called(const Expr& function) const;
  bool fill_in_optional(const Expr& e, Call& call, const Definition& function);

  Environment& environment_;
  TypeStore& types_;
  Reporter& reporter_;
  DeclaredTypes declared_;
  Unifier unifier_;
  Scope scope_;
  Self self_;
  bool reported_size_ = false;  // a type is too large; types that contain it are not reported, too
  bool parallel_ = false;       // inside the body or the filter of an apply-to-each
  // Names have their meaning in the library: set for the defaults of arguments of the library's functions.
  bool library_names_ = false;
  std::uint32_t locals_ = 0;
  std::vector<Type*> variables_;  // all that were made for this statement
  std::vector<Name*> self_references_;
  std::vector<PendingField> pending_fields_;
  std::vector<std::pair<Span, Type*>> empty_sequences_;  // without a type, and their types
  const Definition* watched_ = nullptr;
  std::vector<const Expr*> watched_references_;
  std::vector<Definition::Use> uses_;        // a null definition is the function itself
  std::unordered_set<std::string> unbound_;  // already reported
};

}  // namespace nesl

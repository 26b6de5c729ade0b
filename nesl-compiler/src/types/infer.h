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

/// True if the text has parentheses around a tuple. Syntax trees do not distinguish f(1, (2, 3)) from f(1, 2, 3).
bool is_parenthesized(const base::Source& source, const Expr& tuple);

/// Words for the value of a pattern in messages: of a statement, and of let.
inline constexpr std::string_view kAssigned = "the value assigned to it", kBound = "the value bound to it";

/// Number of parts of a tuple pattern; 1 for any other pattern.
std::size_t count_parts(const Pattern& pattern);

/// Resolves the names and infers the types of one statement, and writes both into its syntax tree. Inference continues
/// after an error: an expression that cannot be typed gets a fresh variable, which fits everything.
class Inference {
 public:
  Inference(Environment& environment, TypeStore& types, Reporter& reporter);

  /// The function being defined. Within its body it is monomorphic.
  struct Self {
    const Definition* definition = nullptr;  ///< has name, parameter and optional arguments
    Type* type = nullptr;
  };
  void set_self(Self self) { self_ = self; }

  DeclaredTypes& declared() { return declared_; }
  Type* infer(Expr& expression);
  /// Binds the variables of a pattern of type `type` in the current scope. `what` describes the value in messages.
  void bind(Pattern& pattern, Type* type, std::string_view what);
  /// Whether a pattern takes apart a value of an undefined datatype, as in let g(x) = x, which was meant as a function.
  /// Inferring the value would only add the error that x is undefined.
  bool takes_unknown_apart(const Pattern& pattern) const;
  /// Unifies `found` with `expected`, or reports that `what` must have another type.
  bool require(Span span, std::string_view what, Type* expected, Type* found, const Expr* expression = nullptr);
  bool require(const Expr& expression, std::string_view what, Type* expected);

  /// At the end of a statement: resolves the fields whose record had no known type when its expression was inferred,
  /// and the literals.
  void settle();
  /// Reports the first [] that leaves a part of the type of a value unknown.
  void check_empty_sequences(Type* type);
  /// Makes the type variables int that are neither in `quantified` nor determined by anything.
  void close(const std::vector<Type*>& quantified);
  /// Makes references of the body to the function itself refer to `definition`.
  void resolve_self(Definition& definition);
  /// Records references to this definition from now on.
  void watch(const Definition* definition) { watched_ = definition; }
  const std::vector<const Expr*>& watched() const { return watched_references_; }

  std::uint32_t locals() const { return locals_; }
  const std::vector<Definition::Use>& uses() const { return uses_; }

 private:
  Type* fresh(TypeClass type_class = TypeClass::kAny);
  /// Makes two types equal. If that fails, int literals in them are ints in what the mismatch says.
  std::optional<Mismatch> unify(Type* left, Type* right);
  /// Makes the int literals from number `first` on floats, where these are needed, or ints. A value that is bound to a
  /// variable is settled by itself, so that the type of the variable does not depend on its uses.
  void settle_literals(std::size_t first);
  void check_range(const Expr& e, const IntLiteral& literal);
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
  void note_use(std::string_view name, NameUse use);
  void note_local(std::string_view name, Span place, Span bound, Type* type, bool binds = false);
  void note_argument(const OptionalArgument& argument, Span place, const Definition& function);
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
    Type* type;  // type of the field
  };
  bool settle(const PendingField& pending);
  void report_no_field(const PendingField& pending, const Definition& datatype);
  void report_no_record(const PendingField& pending, Type* type);

  // infer_call.cpp
  struct Location {
    const Expr& part;
    Type* expected;
    std::size_t before;  // number of arguments to the left
    std::size_t wanted;  // number of all arguments
    bool last;           // the call, or the function's type, has no argument to the right
  };
  bool apply(const Expr& function, Type* formal, const Expr& argument);
  void report_not_a_function(const Expr& function, const Expr& argument, Type* type);
  void report_argument(const Expr& function, const Expr& argument, const Location& location, const Mismatch& mismatch);
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
  bool reported_size_ = false;  // a type is too large; types that contain it are not reported
  bool parallel_ = false;       // inside the body or the filter of an apply-to-each
  // True while names refer to the library: in the defaults of arguments of library functions.
  bool library_names_ = false;
  std::uint32_t locals_ = 0;
  std::vector<Type*> variables_;  // all variables made for this statement
  std::vector<Name*> self_references_;
  std::vector<PendingField> pending_fields_;
  std::vector<Expr*> literals_;                          // int literals that have not been settled
  std::vector<std::pair<Span, Type*>> empty_sequences_;  // [] without a type, and their types
  const Definition* watched_ = nullptr;
  std::vector<const Expr*> watched_references_;
  std::vector<Definition::Use> uses_;        // a null definition is the function itself
  std::unordered_set<std::string> unbound_;  // names already reported
};

}  // namespace nesl

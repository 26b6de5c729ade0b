#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "element_value.h"

namespace evaluator {

/// A program stopped by a run-time check or by error(). Where several elements of an apply-to-each fail, each with
/// its own first error, any of them may be the one that is reported.
struct Failure {
  std::set<std::string> messages;
};

/// The program uses something this evaluator does not have.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Evaluates analysed NESL in the plainest way: element by element, without flattening and without types known at
/// compile time. It exists to be compared with the compiler, with which it shares the front end only.
class Evaluator {
 public:
  explicit Evaluator(nesl::TypeStore& types) : types_(types) {}

  /// Throws Failure or Unsupported.
  ValuePtr evaluate(const nesl::GlobalStatement& statement);
  /// Applies a function value.
  ValuePtr apply(const Function& function, const ValuePtr& argument);

  /// What the program printed so far.
  std::string printed;

 private:
  struct Frame {
    Locals locals;
    SubstitutionPtr substitution;
  };

  ValuePtr evaluate(const nesl::Expr& expr, Frame& frame);
  ValuePtr evaluate_name(const nesl::Name& name, const Frame& frame);
  ValuePtr evaluate_each(const nesl::Each& each, Frame& frame);
  ValuePtr call(const nesl::Definition& definition, std::vector<nesl::Type*> instantiation, const ValuePtr& argument);
  ValuePtr call_body(const nesl::Definition& definition, SubstitutionPtr substitution, const ValuePtr& argument);
  ValuePtr global(const nesl::Definition& definition);
  std::vector<nesl::Type*> concrete(const std::vector<nesl::Type*>& types, const Frame& frame);
  void spend();

  nesl::TypeStore& types_;
  std::map<const nesl::GlobalStatement*, Frame> globals_;
  long steps_ = 0;
};

/// A function the evaluator knows itself. The type is that of the instance.
using Native = ValuePtr (*)(Evaluator& evaluator, const ValuePtr& argument, const nesl::Type& type);
/// Null if there is none of this name.
Native find_native(const std::string& name);

}  // namespace evaluator

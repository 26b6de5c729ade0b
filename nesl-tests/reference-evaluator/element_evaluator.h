#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "element_value.h"

namespace evaluator {

/// Thrown when a run-time check or error() stops the program. If several elements of an apply-to-each fail, each with
/// its own first error, any of these errors may be the reported one.
struct Failure {
  std::set<std::string> messages;
};

/// Thrown if the program uses a feature that this evaluator lacks.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Evaluates analysed NESL in the plainest way: element by element, without flattening and without types known at
/// compile time. Compared with the compiler, with which it shares only the front end.
class Evaluator {
 public:
  explicit Evaluator(nesl::TypeStore& types) : types_(types) {}

  /// Throws Failure or Unsupported.
  ValuePtr evaluate(const nesl::GlobalStatement& statement);
  /// Applies a function value.
  ValuePtr apply(const Function& function, const ValuePtr& argument);

  /// The program's output so far.
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

/// A function that the evaluator implements itself. `type` is the type of the instance.
using Native = ValuePtr (*)(Evaluator& evaluator, const ValuePtr& argument, const nesl::Type& type);
/// The native function of this name; null if there is none.
Native find_native(const std::string& name);
/// Those of them on text, sets and keys, and scatters.
Native find_library_native(const std::string& name);

}  // namespace evaluator

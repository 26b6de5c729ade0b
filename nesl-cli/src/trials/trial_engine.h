#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nesl-compiler/session.h"
#include "program/flags.h"
#include "program/whole_program.h"
#include "vcode-interp/run.h"

namespace nesl_cli {

/// Compiles and runs the expressions of tests and benchmarks with one vector library and one level of optimization.
/// Variables of the program are computed once, and only those that the expressions use. Members must be called on a
/// thread made by nesl::run_with_deep_stack().
class TrialEngine {
 public:
  /// A compiled expression.
  struct Expression {
    nesl::ValueShape result;
    std::vector<const nesl::Definition*> inputs;  ///< the variables of the program that it uses
    std::unique_ptr<interp::PreparedProgram> program;
  };

  /// `program` has been read, and outlives the engine.
  TrialEngine(WholeProgram& program, const Flags& flags);
  ~TrialEngine();
  TrialEngine(const TrialEngine&) = delete;

  /// Loads the vector library. Null on failure, with the reason in `error`.
  static std::unique_ptr<TrialEngine> start(WholeProgram& program, const Flags& flags, std::string& error);

  /// Compiles a value statement of `source`, the text with its spans. Null after errors, with their text in `error`.
  std::unique_ptr<Expression> compile(const nesl::Unit& unit, const base::Source& source, std::string& error);
  /// Computes the variables that expressions use, in the order of the program. Must be called before these run.
  void compute_inputs(const std::vector<const Expression*>& expressions);
  /// Why a variable that the expression uses has no value; empty if all have one.
  std::string missing_input(const Expression& expression) const;
  /// Runs an expression whose inputs have values. The parameters are the entries of their values.
  interp::RunResult run(const Expression& expression, std::vector<runtime::Value> parameters);

  /// Address on the host of the only element of an entry, which a device may have computed. Null on failure, with the
  /// reason in evaluator().failure().
  const void* scalar(const runtime::Value& entry);

  runtime::Evaluator& evaluator() { return interpreter_->evaluator(); }
  interp::RunOptions& options() { return interpreter_->options(); }
  const Flags& flags() const { return flags_; }
  /// Text that programs printed since the last call, at most its first 64 KiB.
  std::string take_output();

 private:
  void need(const Expression& expression);
  void compute(std::size_t statement);

  WholeProgram& program_;
  Flags flags_;
  int no_input_ = -1, output_ = -1;  ///< file descriptors
  cvl::BackendPtr backend_;
  std::unique_ptr<interp::Interpreter> interpreter_;
  std::map<std::size_t, std::unique_ptr<Expression>> needed_;  ///< by the number of the value statement
  std::set<std::size_t> computed_;
  std::map<std::size_t, std::string> problems_;  ///< of statements that did not compile
  std::map<const nesl::Definition*, std::vector<runtime::Value>> values_;
  std::map<const nesl::Definition*, std::string> failures_;  ///< reports
};

}  // namespace nesl_cli

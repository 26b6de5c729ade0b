#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flags.h"
#include "nesl-compiler/session.h"

namespace nesl_cli {

/// A NESL program of one or several files, compiled as a whole. Members must be called on a thread made by
/// nesl::run_with_deep_stack(). Error messages go to standard error.
class WholeProgram {
 public:
  enum class For {
    kResult,  ///< for the program of the result
    kCheck,   ///< for errors only: each value and test is compiled when it is read
    kTrials,  ///< for its tests and benchmarks
  };
  /// With flags.run.sandbox, the program cannot load further files.
  WholeProgram(For use, const Flags& flags);

  /// Reads a file ("-": standard input) and the files that it loads. False after errors.
  bool read(const std::string& file);
  /// Makes an expression the result of the program, in place of the last value of the files. False after errors.
  bool set_result(const std::string& expression);

  /// Who finds out whether the arguments of main fit its parameters.
  enum class ArgumentCheck {
    kByProgram,  ///< the compiled program
    kByRun,      ///< `nesl run`, before the program runs
  };
  /// Makes a call of the function main the result, if main is the last definition or value of the files. When the
  /// program runs, the parameters are parsed from RunOptions::arguments. `arguments` are these, if already known, or
  /// null. False, with a message, if they do not fit the parameters, or the parameters cannot be given as arguments.
  bool call_main(const std::string& file, ArgumentCheck check, const std::vector<std::string>* arguments = nullptr);

  /// The statement that computes the result, or null if there is nothing to compute.
  const nesl::Unit* result() const { return result_ ? &*result_ : nullptr; }
  /// Compiles the program that computes all values and the result; result() must not be null. Nothing after errors.
  std::optional<nesl::Compiled> compile();

  // With For::kTrials:

  /// A value statement of the files.
  struct Value {
    nesl::Unit unit;
    const base::Source* source = nullptr;
    std::vector<const nesl::Definition*> globals;  ///< the variables that it defines
  };
  /// The value statements, in the order in which they are read.
  const std::vector<Value>& values() const { return values_; }
  /// The tests and benchmarks of the file itself, not of those that it loads, in the order of the text.
  const std::vector<nesl::Unit>& trials() const { return trials_; }
  // Analyse a test or benchmark with the last definitions of the program. Nothing after errors.
  std::optional<nesl::TestProgram> analyze_test(const nesl::Unit& unit);
  std::optional<nesl::BenchProgram> analyze_bench(const nesl::Unit& unit);
  /// Analyses an expression whose cost is measured, as Session::analyze_cost() does. Nothing after errors.
  std::optional<nesl::CostProgram> analyze_cost(const std::string& expression, const std::string& size);
  nesl::Session& session() { return session_; }

  /// The texts of the program by their names, for messages of runs that outlive this object.
  std::map<std::string, base::Source> texts() const;
  /// A line of one of the texts.
  std::string source_line(const std::string& file, std::uint32_t line) const;

 private:
  bool read_file(const std::string& file, int depth);
  bool read_source(const base::Source& source, int depth);
  void use(nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics);

  void load(const nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics);
  bool find_comment_tests(const base::Source& source);
  bool check_trials();
  /// A command other than load.
  void obey(const nesl::Unit& unit, const std::vector<std::string>& words, base::Diagnostics& diagnostics);
  /// Computes an expression of type [char] at once. Nothing, with a message, on failure.
  std::optional<std::string> string_value(const std::string& expression);
  std::optional<std::string> run_for_string(const nesl::Compiled& compiled) const;

  nesl::Session session_;
  const For for_;
  const bool sandbox_ = false;
  cvl::RankJob* const job_ = nullptr;
  bool good_ = true;
  std::map<std::string, const base::Source*> sources_;
  struct {
    const base::Source* source = nullptr;
    base::Span span{};
  } load_;  ///< location of the command that loads the current file
  const bool wide_ints_;
  bool main_is_last_ = false;
  std::optional<nesl::Unit> result_;
  const base::Source* result_source_ = nullptr;
  std::vector<Value> values_;
  std::vector<nesl::Unit> trials_;
};

}  // namespace nesl_cli

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
    kCheck,   ///< for errors only: each value of the files is compiled when it is read
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

  /// A line of one of the texts.
  std::string source_line(const std::string& file, std::uint32_t line) const;

 private:
  bool read_file(const std::string& file, int depth);
  bool read_source(const base::Source& source, int depth);
  void use(nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics);

  void load(const nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics);
  /// A command other than load.
  void obey(const nesl::Unit& unit, const std::vector<std::string>& words, base::Diagnostics& diagnostics);
  /// Computes an expression of type [char] at once. Nothing, with a message, on failure.
  std::optional<std::string> string_value(const std::string& expression);
  std::optional<std::string> run_for_string(const nesl::Compiled& compiled) const;

  nesl::Session session_;
  const bool check_all_ = false;
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
};

}  // namespace nesl_cli

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flags.h"
#include "nesl-compiler/session.h"

namespace nesl_cli {

/// A NESL program in files, compiled as one. All of it must be called on a thread made by
/// nesl::run_with_deep_stack(). Errors are explained on standard error.
class WholeProgram {
 public:
  enum class For {
    kVcode,  ///< any interpreter may run it
    kRun,    ///< it is run here
    kCheck,  ///< each value of the files is compiled when it is read, for the errors in it
  };
  /// With flags.run.sandbox nothing but the program's own file is read.
  WholeProgram(For use, const Flags& flags);

  /// Reads a file ("-": standard input) and those it loads. False if anything is wrong with them.
  bool read(const std::string& file);
  /// Takes an expression as the program's result in place of the last value of the files. False if anything is wrong
  /// with it.
  bool set_result(const std::string& expression);

  /// Takes the call of the function main as the result, if main is the last that the files define or compute:
  /// `arguments` are what its parameters are parsed from when it runs (RunOptions::arguments), or null if that is not
  /// known yet. False, explained, if they do not fit.
  bool call_main(const std::string& file, const std::vector<std::string>* arguments);

  /// The statement that computes the result, or null if there is nothing to compute.
  const nesl::Unit* result() const { return result_ ? &*result_ : nullptr; }
  /// The program that computes the result, which there must be, and all values before it. Nothing if that is
  /// impossible.
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
  /// The value of an expression of type [char], which is computed at once. Nothing if there is none, which has been
  /// explained.
  std::optional<std::string> string_value(const std::string& expression);
  std::optional<std::string> run_for_string(const nesl::Compiled& compiled) const;

  nesl::Session session_;
  const bool check_all_ = false;
  const bool sandbox_ = false;
  bool good_ = true;
  std::map<std::string, const base::Source*> sources_;
  struct {
    const base::Source* source = nullptr;
    base::Span span{};
  } load_;  ///< where the file being read is loaded from
  const bool wide_ints_;
  bool main_is_last_ = false;
  std::optional<nesl::Unit> result_;
  const base::Source* result_source_ = nullptr;
};

}  // namespace nesl_cli

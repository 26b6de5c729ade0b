#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nesl-compiler/session.h"
#include "program/flags.h"
#include "text/result_text.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/run.h"

namespace nesl_cli {

/// Destinations of a session's output. Both functions get whole lines.
struct Output {
  std::function<void(std::string_view)> say;       ///< replies
  std::function<void(std::string_view)> complain;  ///< errors and notes
  int programs = 1, errors = 2;                    ///< file descriptors for the output of programs and of error()
};

/// The outcome of a text or command.
enum class Outcome {
  kDone,
  kFailed,       ///< an error, whose message was written
  kInterrupted,  ///< a signal; a message was written
  kLeave,        ///< a command to end the session
};

/// A NESL session that runs statements as they are read and keeps their values for later statements. Members must be
/// called on one thread made by nesl::run_with_deep_stack().
class TopLevel {
 public:
  /// The timeout of the flags applies to each statement.
  TopLevel(const Flags& flags, Output output);
  ~TopLevel();

  /// Runs the statements of a text in turn, up to the first that fails when it runs. Statements that do not compile are
  /// skipped; the last one may lack its terminator. For messages, the text begins at line `line` of the source `name`.
  Outcome run_text(const std::string& name, const std::string& text, std::uint32_t line = 1);
  /// Runs the statements of a file, whose name may lack .nesl.
  Outcome load(const std::string& file, bool show_replies);
  /// Runs a command of the top level, given without terminator, as in `set print_length 20`.
  Outcome run_command(const std::string& text);

  // The next three functions show properties of an expression or assignment without running it.
  Outcome show_type(const std::string& text);
  Outcome show_vcode(const std::string& text);
  /// Shows the operations on vectors: which are fused into kernels, which are not, and why.
  Outcome show_explanation(const std::string& text);
  /// Runs an expression and shows the steps as text, or with --html=FILE in front of it as a page in a file.
  Outcome show_steps(const std::string& text);
  /// Runs a text and shows the compile time and run time of its statements.
  Outcome run_timed(const std::string& text);
  /// Runs a text and shows the cost of each instruction and function.
  Outcome run_profiled(const std::string& text);
  /// Ends the session: prints the profile of all statements if the flags demand it. Returns the exit status.
  int finish();

  /// Changes a setting; with an empty name, shows all settings.
  Outcome set(const std::string& name, const std::string& value);

  const nesl::Session& session() const { return session_; }
  /// The errors and warnings of the last text, which have been shown.
  const base::Diagnostics& diagnostics() const { return diagnostics_; }
  const Output& output() const { return output_; }

 private:
  /// The state of reading a text.
  struct Reading {
    const base::Source& source;
    bool show_replies = true;
    base::Diagnostics diagnostics = {};
    std::size_t explained = 0;  ///< number of diagnostics that have been shown
    Outcome outcome = Outcome::kDone;
  };
  using Use = std::function<Outcome(const nesl::Unit&, Reading&)>;

  /// The result of running a statement.
  struct Run {
    nesl::Compiled compiled;
    std::vector<runtime::Value> stack;
    double compile_time, run_time;  ///< seconds
  };

  Outcome read(const base::Source& source, bool show_replies, const Use& use);
  void explain(Reading& reading);
  Outcome use(const nesl::Unit& unit, Reading& reading);
  /// Compiles and runs a value statement. On failure, shows the error, sets `reading.outcome` and returns nothing.
  std::optional<Run> run(const nesl::Unit& unit, Reading& reading);
  /// Runs a compiled statement likewise; `run` has it, and gets the results. False on failure.
  bool execute(const nesl::Unit& unit, const vcode::Program& executable, Reading& reading, Run& run);
  Outcome evaluate(const nesl::Unit& unit, Reading& reading);
  /// The command `load`, whose file name may be an expression, with options.
  Outcome load_command(const std::string& text);
  /// `dump vcode "FILE" EXPRESSION`: writes the program that computes the expression.
  Outcome dump_vcode(const std::string& text, const std::string& file);
  Outcome fail(const std::string& message);
  bool start_backend();
  bool change_backend(const std::string& name);
  void keep(const nesl::Unit& unit, std::vector<runtime::Value> stack);
  std::string source_line(const std::string& file, std::uint32_t line) const;

  Flags flags_;
  Output output_;
  std::unique_ptr<interp::Profile> profile_;  ///< of the whole session; null unless the flags demand it
  nesl::Session session_;
  base::Diagnostics diagnostics_;
  std::multimap<std::string, const base::Source*> sources_;
  cvl::BackendPtr backend_;
  std::unique_ptr<interp::Interpreter> interpreter_;
  std::map<const nesl::Definition*, std::vector<runtime::Value>> globals_;
  ResultStyle style_;
  bool verbose_ = false;
  std::string last_loaded_;
  int load_depth_ = 0;
};

}  // namespace nesl_cli

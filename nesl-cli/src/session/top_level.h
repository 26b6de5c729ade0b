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

/// Where the answers go. Both functions get whole lines.
struct Output {
  std::function<void(std::string_view)> say;       ///< replies
  std::function<void(std::string_view)> complain;  ///< errors and notes
  int programs = 1, errors = 2;                    ///< descriptors of what programs print, and of what error() says
};

/// What became of a text or command.
enum class Outcome {
  kDone,
  kFailed,       ///< and has been explained
  kInterrupted,  ///< by a signal, and has been explained
  kLeave,        ///< the session is to end
};

/// A NESL session whose statements are run as they are read, their values kept for those that follow. All of it
/// must be called on one thread made by nesl::run_with_deep_stack().
class TopLevel {
 public:
  /// The timeout of the flags is for each statement.
  TopLevel(const Flags& flags, Output output);
  ~TopLevel();

  /// Runs the statements of a text in turn, up to the first that fails when it is run. Those with errors in the text
  /// itself are left out. The text begins at this line of what has the name.
  Outcome run_text(const std::string& name, const std::string& text, std::uint32_t line = 1);
  /// The same for a file whose name may lack its .nesl. Replies are shown if asked for.
  Outcome load(const std::string& file, bool show_replies);
  /// A command of the top level without its terminator, as in `set print_length 20`.
  Outcome run_command(const std::string& text);

  // Of an expression or value statement, without running it.
  Outcome show_type(const std::string& text);
  Outcome show_vcode(const std::string& text);
  /// Tells what becomes of its operations on vectors: which are fused into kernels, and which not and why.
  Outcome show_explanation(const std::string& text);
  /// Runs a text and says how long its statements took to compile and run.
  Outcome run_timed(const std::string& text);
  /// Runs a text and shows what each instruction and function cost.
  Outcome run_profiled(const std::string& text);
  /// At the end: prints the profile of all statements, if the flags ask for one. Returns the exit status.
  int finish();

  /// Changes a setting; with an empty name, shows all.
  Outcome set(const std::string& name, const std::string& value);

  const nesl::Session& session() const { return session_; }
  /// The errors and warnings in the text that was read last, which have been shown.
  const base::Diagnostics& diagnostics() const { return diagnostics_; }
  const Output& output() const { return output_; }

 private:
  /// A text being gone through.
  struct Reading {
    const base::Source& source;
    bool show_replies = true;
    base::Diagnostics diagnostics = {};
    std::size_t explained = 0;  ///< diagnostics that have been shown
    Outcome outcome = Outcome::kDone;
  };
  using Use = std::function<Outcome(const nesl::Unit&, Reading&)>;

  /// What running a statement has come to.
  struct Run {
    nesl::Compiled compiled;
    std::vector<runtime::Value> stack;
    double compile_time, run_time;  ///< seconds
  };

  const base::Source& add_source(const std::string& name, std::string text, std::uint32_t line);
  Outcome read(const base::Source& source, bool show_replies, const Use& use);
  void explain(Reading& reading);
  Outcome use(const nesl::Unit& unit, Reading& reading);
  /// Compiles and runs a value statement. Nothing, explained, if that fails; the reading's outcome says how.
  std::optional<Run> run(const nesl::Unit& unit, Reading& reading);
  Outcome evaluate(const nesl::Unit& unit, Reading& reading);
  /// `load` with an expression for the name of the file, and options.
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
  std::unique_ptr<interp::Profile> profile_;  ///< of the whole session, if the flags ask for it
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

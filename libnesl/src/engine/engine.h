#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "failure.h"
#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/run.h"
#include "vcode-interp/run_flags.h"

namespace nesl_c {

/// How a session runs.
struct Settings {
  interp::RunFlags run;
  fcode_opt::OptimizeOptions optimize;
};

/// A function compiled for arguments of certain types, or a variable.
struct Function {
  std::string name;
  std::vector<nesl::ValueShape> parameters;
  nesl::ValueShape result;
  std::vector<runtime::Value> globals;  ///< what the program finds on its stack below the arguments
  std::unique_ptr<interp::PreparedProgram> program;
};

/// Elements of the caller, with what is to be called when nothing needs them any more.
struct UserLoan {
  void (*release)(void*);
  void* owner;
  class Engine& engine;
  UserLoan* next = nullptr;
};

/// A NESL session with a vector library and an interpreter of its own: it reads texts, keeps the values of their
/// variables, and compiles and calls functions. All but cancel() is to be called by the thread that holds a Turn.
class Engine {
 public:
  explicit Engine(const Settings& settings);
  ~Engine();
  Engine(const Engine&) = delete;

  /// A thread's turn to use an engine. At its end, loans that have ended in it are given back, so that the caller's
  /// functions run without a lock.
  class Turn {
   public:
    explicit Turn(Engine& engine);
    ~Turn();
    Turn(const Turn&) = delete;

   private:
    Engine& engine_;
  };

  /// Ends the session: from now on nothing can be loaded, looked up or called. Values stay.
  void end();
  /// Throws unless the session goes on.
  void require_open() const;
  /// Stops what the thread that has the turn computes. For any thread.
  void cancel() noexcept;
  void set_seed(std::uint64_t seed);

  void load(const std::string& name, std::string text);
  void load_file(const std::string& file);
  std::shared_ptr<const Function> find(const std::string& name, const std::string& types);
  /// The entries that the function leaves for its result. Those of all arguments are together.
  std::vector<runtime::Value> call(const Function& function, std::vector<runtime::Value> arguments);
  /// What fusion does to a function, found as find() does. The text stays until the next that this or end_profile()
  /// makes.
  const char* explain(const std::string& name, const std::string& types);
  /// Between these, runs are measured.
  void begin_profile();
  const char* end_profile();
  nesl::ValueShape shape_of_type(const std::string& type);

  runtime::Evaluator& evaluator() { return interpreter_->evaluator(); }
  /// Throws what the evaluator's last failure was about.
  [[noreturn]] void fail_evaluation();
  /// A loan that ends in a turn, and is given back behind it. Takes nothing if it throws.
  runtime::Loan loan(void (*release)(void*), void* owner);

 private:
  /// Runs `work` on a thread with room for deep recursion, as part of this thread's turn.
  void on_deep_stack(const std::function<void()>& work);
  void read(const base::Source& source, int depth);
  void use(nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics);
  void obey(const nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics);
  void read_file(const std::string& file, int depth);
  void evaluate(nesl::Unit& unit, base::Diagnostics& diagnostics);
  /// The statement that applies a function to parameters of these types, and its program.
  std::pair<nesl::Unit, nesl::Compiled> compile_application(const std::string& application);
  vcode::Program executable(vcode::letform::Program program) const;
  std::vector<runtime::Value> inputs_of(const nesl::Compiled& compiled) const;
  std::vector<runtime::Value> result_of(interp::RunResult result) const;
  const base::Source& add_source(const std::string& name, std::string text);
  std::string source_line(const std::string& file, std::uint32_t line) const;

  std::mutex turn_;
  std::mutex running_lock_;  ///< of the next two
  bool running_ = false;
  interp::InterruptFlag interrupt_{interp::Interrupt::kNone};
  UserLoan* ended_loans_ = nullptr;
  bool ended_ = false;

  const Settings settings_;
  std::multimap<std::string, const base::Source*> sources_;
  std::unique_ptr<nesl::Session> session_;
  cvl::BackendPtr backend_;
  std::unique_ptr<interp::Interpreter> interpreter_;
  std::map<const nesl::Definition*, std::vector<runtime::Value>> globals_;
  std::map<std::string, std::shared_ptr<const Function>> functions_;  ///< by application: "f([int])"
  std::optional<interp::Profile> profile_;
  std::string told_;                               ///< by explain() or end_profile()
  std::map<std::string, nesl::ValueShape> types_;  ///< by text
};

}  // namespace nesl_c

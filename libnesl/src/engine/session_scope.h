#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data.h"
#include "engine.h"
#include "show/recorder.h"

namespace nesl_c {

/// A function compiled for arguments of certain types, or a variable.
struct Function {
  std::string name;
  std::vector<nesl::ValueShape> parameters;
  nesl::ValueShape result;
  std::vector<runtime::Value> globals;  ///< values that the program expects on its stack below the arguments
  std::unique_ptr<interp::PreparedProgram> program;
  std::shared_ptr<const Texts> texts;
};

/// A name space of definitions and variables. It reads texts, keeps the values of variables, and compiles and calls
/// functions. Only the thread that has the turn of the engine may call its members.
class Scope {
 public:
  /// Whether the scope is the first one of its engine: the end of the first scope ends all scopes of the engine.
  enum class Location { kFirst, kOther };
  Scope(std::shared_ptr<Engine> of, Location location);
  ~Scope();
  Scope(const Scope&) = delete;

  const std::shared_ptr<Engine> engine;

  /// Ends the scope: nothing can be loaded, looked up or called afterwards. Values remain readable.
  void end();
  /// Throws Failed if the scope has ended.
  void require_open() const;

  /// Reads the statements of a text or file.
  void load(const std::string& name, const std::string& text);
  void load_file(const std::string& file);
  /// Reads the statements of a text. Returns the value of the last statement, if that is an expression.
  std::optional<Data> evaluate(const std::string& name, const std::string& text);
  /// Reads the first statement that begins at the byte `position` of a text or later, and sets `position` to the end of
  /// that statement, or of the text if none is left. Computes nothing if a statement of the text has an error of
  /// syntax. Returns the value of the statement, if that is an expression.
  std::optional<Data> evaluate_next(const std::string& name, const std::string& text, std::size_t& position);
  /// A property of an expression or assignment, which is not computed.
  std::string examine(const std::string& text, nesl_property property);
  /// The names that texts have defined, in the order of their first definition.
  const std::vector<std::string>& names() const { return names_; }
  /// All names that texts can use, with those of the library and the words of the language.
  std::vector<std::string> vocabulary() const;
  /// The number of definitions and assignments of all texts.
  std::uint64_t definitions() const { return definitions_; }
  /// Describes a name that texts can use.
  nesl::Description describe(const std::string& name);

  std::shared_ptr<const Function> find(const std::string& name, const std::string& types);
  /// Calls a function. Returns the entries of its result; `arguments` are the entries of all arguments.
  std::vector<runtime::Value> call(const Function& function, std::vector<runtime::Value> arguments);
  /// Explains fusion for a function, which is found as by find().
  std::string explain(const std::string& name, const std::string& types);
  /// The steps of a run, as text and as a part of a page.
  struct Shown {
    std::string text, html;
  };
  /// Runs an expression and shows the steps.
  Shown show(const std::string& expression, const nesl_cli::ShowLimits& limits);
  nesl::ValueShape shape_of_type(const std::string& type);

 private:
  std::optional<Data> read_whole(const std::function<void()>& read, bool wanted);
  void read(const base::Source& source, const std::string& name, int depth);
  void use(nesl::Unit& unit, const std::string& name, int depth, base::Diagnostics& diagnostics);
  void obey(const nesl::Unit& unit, const std::string& name, int depth, base::Diagnostics& diagnostics);
  void read_file(const std::string& file, int depth);
  void compute(nesl::Unit& unit, base::Diagnostics& diagnostics);
  /// A property of a statement; "" if it does not compile.
  std::string property_of(const nesl::Unit& unit, nesl_property property, base::Diagnostics& diagnostics);
  void note_definition(std::string_view name);
  Shown show(const nesl::Unit& unit, const std::string& title, const nesl_cli::ShowLimits& limits,
             base::Diagnostics& diagnostics);
  /// Compiles an application such as "f([int])": the statement that applies the function, and its program.
  std::pair<nesl::Unit, nesl::Compiled> compile_application(const std::string& application);
  std::vector<runtime::Value> inputs_of(const nesl::Compiled& compiled) const;
  const base::Source& add_source(const std::string& name, std::string text);
  /// The source of an application or a type, added once: programs may repeat a lookup that fails.
  const base::Source& question(const std::string& name, const std::string& text);

  const Location location_;
  bool ended_ = false;
  std::unique_ptr<nesl::Session> compiler_;
  std::shared_ptr<Texts> texts_ = std::make_shared<Texts>();
  std::map<const nesl::Definition*, std::vector<runtime::Value>> globals_;
  std::map<std::string, std::shared_ptr<const Function>> functions_;  ///< by application: "f([int])"
  std::map<std::string, const base::Source*> questions_;              ///< by name and text
  std::map<std::string, nesl::ValueShape> types_;                     ///< by the text of the type
  std::vector<std::string> names_;
  std::uint64_t definitions_ = 0;
  std::optional<Data> last_;  ///< while a text is read: the value of the last statement, if that is an expression
};

}  // namespace nesl_c

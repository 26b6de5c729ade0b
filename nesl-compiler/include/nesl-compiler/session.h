#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "fcode-opt/letform.h"
#include "nesl-compiler/value_shape.h"

namespace nesl {

struct Definition;
struct GlobalStatement;

/// One statement of a NESL text that has been found correct.
struct Unit {
  enum class Kind {
    kDefinition,  ///< a function or datatype, known to the session from now on
    kValue,       ///< an expression or assignment: to be compiled, run and committed
    kCommand,     ///< a command of the top level: text
  };
  Kind kind = Kind::kDefinition;
  std::string name;  ///< what it defines: a name, or a pattern as the source spells it, (x, y)
  std::string type;  ///< as a reply shows it
  std::string text;  ///< of a command, without its terminator
  base::Span span;
  std::shared_ptr<GlobalStatement> statement = {};  ///< of kValue
  std::vector<ValueShape> parameters = {};          ///< what find() has been told that the program gets
};

/// A value statement as a program.
struct Compiled {
  vcode::letform::Program program;  ///< as flattened: fcode_opt::optimize() makes VCODE of it
  /// Variables of earlier statements whose values the program expects on its stack, the entries of the last one on
  /// top. Above them it expects those of Unit::parameters.
  std::vector<const Definition*> inputs;
  ValueShape result;                      ///< of what it leaves
  std::vector<std::string> remarks = {};  ///< for --explain: how conditionals and loops are computed
};

/// What `nesl describe` shows of a name.
struct Description {
  std::string name;
  std::string type;
  std::string doc;
  bool is_function = true;
  bool prelude = true;
  std::string section = {};  ///< of the library, for what belongs to it
};

/// The words of the language that someone may ask about as about a name; what stands for their type may be in words.
const std::vector<Description>& language_words();

/// A parameter of a function as its definition names it; a tuple that is taken apart is several.
struct Parameter {
  std::string name;
  std::string type;
};

/// A NESL top level: the prelude and all that has been defined since. Statements depend on those before them, so
/// texts are read, compiled and run statement by statement.
///
/// Recursive programs nest deeply: call everything here on a thread made by run_with_deep_stack().
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;

  /// Forgets all that has been read since the prelude, texts included: much faster than a new session. Nothing that the
  /// session has returned may be used any more.
  void reset();

  /// The text is kept as long as the session. It can be part of a longer one, whose line `first_line` it begins with.
  const base::Source& add_source(std::string name, std::string text, std::uint32_t first_line = 1);

  /// Whether compiled programs print themselves which check has failed, as interpreters need that do not read sites
  /// (vcode::InstructionSite). They do unless told otherwise.
  void set_print_checks(bool print);

  /// Whether cheap conditionals of compiled programs compute both branches, guarded by masks, for all elements: faster
  /// if fusion takes them into kernels (fcode_opt::fuses()), else slower. They do not unless told so.
  void set_masks(bool masks);

  /// Whether programs will run with ints of 64 bits, for which literals may be larger. They will not unless told so.
  void set_wide_ints(bool wide);

  /// Analyses the statements of a text in turn, and calls `use` with each correct one before it analyses the next,
  /// until `use` returns false. Errors are added to the diagnostics, and the statements behind them are still analysed.
  void read(const base::Source& source, base::Diagnostics& diagnostics, const std::function<bool(Unit&)>& use);

  /// The application of a function to parameters of known types, `quicksort([int])`, or a variable, `pi`, as a value
  /// statement that is compiled for its program: the program finds the parameters on its stack. The statement is not to
  /// be committed. Nothing if the text is wrong, as explained.
  std::optional<Unit> find(const base::Source& source, base::Diagnostics& diagnostics);
  /// The shape of values of a type that the text spells out. Nothing if it is wrong, as explained.
  std::optional<ValueShape> read_type(const base::Source& source, base::Diagnostics& diagnostics);

  /// Compiles a value statement, committed or not. With `whole`, the program needs no inputs: it computes the variables
  /// of earlier statements too, in order. An empty result has been explained.
  std::optional<Compiled> compile(const Unit& unit, bool whole, base::Diagnostics& diagnostics);
  /// The same without inputs, but of the earlier statements only those are computed that the value needs.
  std::optional<Compiled> compile_needed(const Unit& unit, base::Diagnostics& diagnostics);
  /// Defines the variables of a value statement, once their values are there. They are returned in the order of the
  /// entries that compile()'s program leaves.
  std::vector<const Definition*> commit(const Unit& unit);

  /// All names that programs can use, but for those the library keeps for itself; for completion.
  std::vector<std::string> names() const;
  std::optional<Description> describe(std::string_view name) const;
  /// The parameters of a function that has been defined. Nothing if there is no such function.
  std::optional<std::vector<Parameter>> parameters_of(std::string_view function) const;
  /// Everything whose name or documentation contains the word.
  std::vector<Description> apropos(std::string_view word) const;
  /// Everything in the library that is meant for users, in the order of the prelude, section by section.
  std::vector<Description> library() const;

 private:
  struct State;
  enum class Scope { kStatement, kNeeded, kWhole };
  std::optional<Compiled> compile(const Unit& unit, Scope scope, base::Diagnostics& diagnostics);

  std::unique_ptr<State> state_;
};

/// Name, type and number of stack entries of a global.
std::string_view name_of(const Definition& definition);
ValueShape shape_of(const Definition& global);

/// The candidate that a misspelt name was probably meant to be; empty if none is near.
std::string near_name(const std::string& wanted, const std::vector<std::string>& candidates);

/// Runs `work` on a thread whose stack is large enough for texts with 10^6 levels of nesting, and waits for it.
void run_with_deep_stack(const std::function<void()>& work);

}  // namespace nesl

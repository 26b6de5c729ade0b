#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "fcode-opt/letform.h"
#include "fcode-opt/optimize.h"
#include "nesl-compiler/name_uses.h"
#include "nesl-compiler/slow_idiom.h"
#include "nesl-compiler/value_shape.h"
#include "nesl-compiler/watch_point.h"

namespace nesl {

struct Definition;
struct GlobalStatement;
struct Trial;

/// One correct statement of a NESL text, with its types inferred.
struct Unit {
  enum class Kind {
    kDefinition,  ///< a function or datatype; already defined in the session
    kValue,       ///< an expression or assignment: to be compiled, run and committed
    kCommand,     ///< a command of the top level: `text`
    kTest,        ///< a test, whose title is `name`; only its syntax has been checked
    kBench,       ///< a benchmark, likewise
  };
  Kind kind = Kind::kDefinition;
  std::string name;  ///< the defined name, or the pattern as the source spells it, (x, y)
  std::string type;  ///< type of the value or definition, as printed in a reply
  std::string text;  ///< text of a command, without its terminator
  base::Span span;
  std::shared_ptr<GlobalStatement> statement = {};  ///< set for kValue only
  std::vector<ValueShape> parameters = {};          ///< shapes of the program's parameters, as given to find()
  std::shared_ptr<const Trial> trial = {};          ///< set for kTest and kBench
};

/// The program that computes a value statement.
struct Compiled {
  vcode::letform::Program program;  ///< flattened, not optimized; fcode_opt::optimize() turns it into VCODE
  /// Variables of earlier statements that the program expects on its stack, those of the last one on top. The
  /// parameters of the unit (Unit::parameters) lie above them.
  std::vector<const Definition*> inputs;
  ValueShape result;                          ///< shape of the value that the program leaves on the stack
  std::vector<std::string> remarks = {};      ///< remarks of --explain: how conditionals and loops are computed
  std::vector<SlowIdiom> slow_idioms = {};    ///< in the statement and the functions that it reaches
  std::vector<WatchPoint> watch_points = {};  ///< with Watch::kValues
  std::vector<Place> places = {};             ///< with Watch::kPlaces
};

/// Documentation of one name, as printed by `nesl describe`.
struct Description {
  std::string name;
  std::string type;
  std::string doc;
  bool is_function = true;
  bool prelude = true;
  std::string section = {};  ///< section of the library; empty for names outside the library
  /// Of describe(): the parameters of a function that is written in NESL, as it spells them, or the fields of a
  /// datatype.
  std::vector<std::string> parts = {};
  bool is_datatype = false;
};

/// Descriptions of reserved words and other syntax, for `describe` and `apropos`. Their `type` may be plain words.
const std::vector<Description>& language_words();

/// A named parameter of a function. A tuple pattern gives one Parameter for each of its variables.
struct Parameter {
  std::string name;
  std::string type;
};

/// The programs of a test. All have the test's variables as their parameters.
struct TestProgram {
  const base::Source* source = nullptr;  ///< text of the test
  std::vector<Parameter> variables;      ///< of `for`, in the order of the parameters
  std::optional<Unit> assumption;        ///< a truth value: whether the test is meant for these values of the variables
  /// The truth value that the test demands; of an equality, the pair of that and the pair of both sides.
  Unit condition;
  bool is_equality = false;
};

/// The programs of a benchmark.
struct BenchProgram {
  const base::Source* source = nullptr;
  std::string variable;             ///< name of the size; empty without `for`
  std::optional<Unit> sizes;        ///< a sequence of ints; absent without `for` and in a CostProgram
  std::optional<Unit> preparation;  ///< its parameter is the size; it leaves the parameters of `measured`
  Unit measured;                    ///< without a preparation, its parameter is the size, if there is one
};

/// The programs that measure work and depth of an expression. Both expressions have the same parameters.
struct CostProgram {
  BenchProgram bench;
  Unit counted;  ///< computes the pair of work and depth, floats, of the measured expression
};

/// Operations of programs whose results are checked as they run.
struct CheckedOperations {
  bool int_overflow = false;  ///< ints that do not fit are errors, and do not wrap around
  bool float_errors = false;  ///< infinities and nans that are computed from finite floats are errors
};

/// A NESL top level: the prelude and all later definitions. Statements depend on earlier ones, so a text is read,
/// compiled and run statement by statement.
///
/// Recursive programs nest deeply: call every member on a thread made by run_with_deep_stack().
class Session {
 public:
  explicit Session(CheckedOperations checks = {});
  ~Session();
  Session(const Session&) = delete;

  /// Forgets all definitions and texts read since the prelude; much faster than a new session. Invalidates everything
  /// that the session has returned.
  void reset();

  /// Keeps a text as long as the session lives. `first_line` is the number of its first line in the text it is part of.
  const base::Source& add_source(std::string name, std::string text, std::uint32_t first_line = 1);
  /// The same for a statement whose terminator may be missing.
  const base::Source& add_expression(std::string name, std::string expression, std::uint32_t first_line = 1);

  /// The options with which programs will be optimized. If they fuse, which is not the default, programs have steps of
  /// loops, which the optimizer takes by masks, and parts that can run in pieces.
  void set_pipeline(const fcode_opt::OptimizeOptions& options);

  /// Chooses what later programs contain for viewers; nothing by default.
  void set_watch(Watch watch);

  /// Accepts literals of 64 bits, for programs that run with 64-bit ints. Off by default.
  void set_wide_ints(bool wide);

  /// Records from now on the names in texts that are analysed, which editors show and follow.
  void record_names();
  const NameUses& names_in_texts() const;
  /// Documentation of a recorded name. The type of a local variable or field is that which it has in the whole
  /// statement.
  Description describe(const NameUse& use) const;

  /// Analyses the statements of a text in turn and calls `use` with each correct one before the next is analysed. Stops
  /// when `use` returns false. After an error, which is added to the diagnostics, the following statements are still
  /// analysed. Statements that begin before the byte `begin` of the text are skipped; errors of their syntax are still
  /// added.
  void read(const base::Source& source, base::Diagnostics& diagnostics, const std::function<bool(Unit&)>& use,
            std::size_t begin = 0);

  /// Reads a function applied to parameters of known types, `quicksort([int])`, or a variable, `pi`, and returns a
  /// value statement to compile; its program finds the parameters on its stack. Do not commit it. Returns nothing if
  /// the text has errors, which are in the diagnostics.
  std::optional<Unit> find(const base::Source& source, base::Diagnostics& diagnostics);
  /// Returns the shape of the values of the type that a text spells, or nothing if the text has errors, which are in
  /// the diagnostics.
  std::optional<ValueShape> read_type(const base::Source& source, base::Diagnostics& diagnostics);

  /// The tests in the comments of a text without errors: each begins a line of a comment and ends with a terminator.
  /// Errors of their syntax are added to the diagnostics, with spans in `source`.
  std::vector<Unit> tests_in_comments(const base::Source& source, base::Diagnostics& diagnostics);
  /// Analyses a test or benchmark with the definitions that the session has now. Nothing after errors, which are those
  /// of TestProgram::source.
  std::optional<TestProgram> analyze_test(const Unit& unit, base::Diagnostics& diagnostics);
  std::optional<BenchProgram> analyze_bench(const Unit& unit, base::Diagnostics& diagnostics);
  /// Analyses a text with assignments, whose values are not measured, and an expression, with the definitions that the
  /// session has now. All may use an int of the name `size`; empty: none. Nothing after errors of the source.
  std::optional<CostProgram> analyze_cost(const base::Source& source, const std::string& size,
                                          base::Diagnostics& diagnostics);
  /// The text that contains a test or benchmark.
  static const base::Source& source_of(const Unit& trial);

  /// Compiles a value statement, committed or not. With `whole`, the program computes the variables of all earlier
  /// statements itself, in order, and has no inputs. If the result is empty, the diagnostics say why.
  std::optional<Compiled> compile(const Unit& unit, bool whole, base::Diagnostics& diagnostics);
  /// Compiles a program without inputs that computes, of the earlier statements, only those that the value needs.
  std::optional<Compiled> compile_needed(const Unit& unit, base::Diagnostics& diagnostics);
  /// Defines the variables of a value statement after its value has been computed. Returns them in the order of the
  /// stack entries that the program from compile() leaves.
  std::vector<const Definition*> commit(const Unit& unit);

  /// All names that programs can use, for completion; excludes auxiliary names of the library.
  std::vector<std::string> names() const;
  std::optional<Description> describe(std::string_view name) const;
  /// Work and depth of calling a function, in words, as far as its text bounds them; otherwise empty.
  std::string cost_of(std::string_view name) const;
  std::string cost_of(const NameUse& use) const;
  /// Parameters of a function defined in the session; nothing if there is no such function.
  std::optional<std::vector<Parameter>> parameters_of(std::string_view function) const;
  /// All definitions whose name or documentation contains the word.
  std::vector<Description> apropos(std::string_view word) const;
  /// All documented definitions of the library, in the order of the prelude, section by section.
  std::vector<Description> library() const;

 private:
  struct State;
  enum class Scope { kStatement, kNeeded, kWhole };
  std::optional<Compiled> compile(const Unit& unit, Scope scope, base::Diagnostics& diagnostics);

  std::unique_ptr<State> state_;
};

/// Name of a global, and shape of its value.
std::string_view name_of(const Definition& definition);
ValueShape shape_of(const Definition& global);

/// The candidate closest to a misspelt name; empty if none is close.
std::string near_name(const std::string& wanted, const std::vector<std::string>& candidates);

/// Runs `work` on a thread whose stack suffices for texts with 10^6 nesting levels, and waits for it.
void run_with_deep_stack(const std::function<void()>& work);

}  // namespace nesl

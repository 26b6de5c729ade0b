#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/diagnostics.h"

namespace nesl {

using base::Span;

struct Type;
struct Definition;
struct Expr;
struct Pattern;
struct TypeExpr;
using ExprPtr = std::unique_ptr<Expr>;
using PatternPtr = std::unique_ptr<Pattern>;
using TypeExprPtr = std::unique_ptr<TypeExpr>;

// --- types as written ---------------------------------------------------------------------------------------

/// A type as the source spells it.
struct TypeExpr {
  enum class Kind : std::uint8_t {
    kName,      ///< int, a type variable, or a datatype without arguments
    kApply,     ///< name(arguments[0]): a datatype with its arguments as one tuple
    kSequence,  ///< [arguments[0]]
    kPair,      ///< arguments[0], arguments[1]
    kFunction,  ///< arguments[0] -> arguments[1]
  };
  Kind kind = Kind::kName;
  Span span;
  std::string name;
  std::vector<TypeExprPtr> arguments;
};

/// One entry of a context: `variable in class_name`.
struct ContextEntry {
  std::string variable, class_name;
  Span span;
};

/// A type with its context: `a -> a :: (a in number)`.
struct TypeDecl {
  TypeExprPtr type;
  std::vector<ContextEntry> context;
};

// --- patterns -----------------------------------------------------------------------------------------------

/// A pattern: the left side of a binding.
struct Pattern {
  enum class Kind : std::uint8_t {
    kVariable,  ///< name
    kPair,      ///< parts[0], parts[1]
    kData,      ///< name(parts[0]): the contents of a datatype's value
  };
  Kind kind = Kind::kVariable;
  Span span;
  std::string name;
  std::vector<PatternPtr> parts;
  TypeExprPtr declared{};            ///< of a parameter `pattern : type`, or null
  Type* type = nullptr;              ///< set by inference
  Definition* datatype = nullptr;    ///< of kData, set by inference
  std::uint32_t local = UINT32_MAX;  ///< number of a kVariable within its definition, set by inference
};

// --- expressions --------------------------------------------------------------------------------------------
// Operators, indexing and ranges are calls of the prelude function that implements them: a + b is +(a, b), -a is
// negate(a), #a is #(a), @a is @(a), a[i] is elt(a, i), [s:e] is iseq(s, 1, e), [s:e:d] is iseq(s, d, e).
// closure(function, value) is let v = value in a => function(v, a). The names of its variables cannot occur in a
// program, so that they hide no other variable:
inline constexpr std::string_view kClosureValue = "(closure value)";
inline constexpr std::string_view kClosureArgument = "(closure argument)";

struct IntLiteral {
  std::string digits;
  bool negated = false;  ///< operand of a minus sign; may be as large as the magnitude of the most negative int
};
struct FloatLiteral {
  double value;
};
struct BoolLiteral {
  bool value;
};
struct CharLiteral {
  std::int32_t code;
};
struct StringLiteral {
  std::string text;
};
/// A variable, function, datatype constructor or global.
struct Name {
  std::string name;
  // Set by inference: either `definition` or `local`, never both.
  Definition* definition = nullptr;    ///< null for a local variable
  std::uint32_t local = UINT32_MAX;    ///< number of a local variable, as in Pattern::local
  std::vector<Type*> instantiation{};  ///< one type for each quantified variable of the definition's scheme
  /// The parser inserted the name for other syntax, as elt for a[i]. It refers to the library, whatever the program
  /// defines.
  bool implied = false;
};
/// function(argument). Several arguments form one tuple.
struct Call {
  ExprPtr function, argument;
};
struct Pair {
  ExprPtr first, rest;
};
struct If {
  ExprPtr condition, then_branch, else_branch;
};
struct Let {
  std::vector<std::pair<PatternPtr, ExprPtr>> bindings;
  ExprPtr body;
};
struct Lambda {
  PatternPtr parameter;
  ExprPtr body;
};
struct SequenceLiteral {
  std::vector<ExprPtr> elements;  ///< at least one
};
/// [] type, or [] alone
struct EmptySequence {
  TypeExprPtr element;  ///< null if inference determines it
};
/// record.name: a field of a datatype's value.
struct Field {
  ExprPtr record;
  std::string name;
  Span name_span;
  Definition* datatype = nullptr;  ///< set by inference
  std::size_t position = 0;        ///< index among the datatype's fields, set by inference
};
/// {body : pattern in sequence; … | filter}. Sequences and bodies that the source omits are filled in by the parser.
struct Each {
  bool serial = false;  ///< {* … }
  ExprPtr body;
  std::vector<std::pair<PatternPtr, ExprPtr>> bindings;  ///< at least one
  ExprPtr filter;                                        ///< may be null
};
/// time(expression): a pair of the value and the seconds that computing it took.
struct Time {
  ExprPtr expression;
};
/// `name := value`, only inside the argument tuple of a call; removed by inference.
struct OptionalArgument {
  std::string name;
  ExprPtr value;
};

struct Expr {
  using Node = std::variant<IntLiteral, FloatLiteral, BoolLiteral, CharLiteral, StringLiteral, Name, Call, Pair, If,
                            Let, Lambda, SequenceLiteral, EmptySequence, Field, Each, Time, OptionalArgument>;
  Span span;
  Node node;
  Type* type = nullptr;  ///< set by inference
};

/// Joins the parts of a tuple to pairs that nest to the right: join(a, join(b, c)) for a, b, c. At least one part.
template <class Part, class Join>
Part nest_pairs(std::vector<Part> parts, Join&& join) {
  VC_CHECK(!parts.empty());
  Part tuple = std::move(parts.back());
  for (parts.pop_back(); !parts.empty(); parts.pop_back()) tuple = join(std::move(parts.back()), std::move(tuple));
  return tuple;
}

// --- statements ---------------------------------------------------------------------------------------------

/// One of these statements:
///
///   function name(parameter) : type "doc" = body;
///   function name(pattern : type, …) : type of the result "doc" = body;
///   specialize name(parameter) : type = body;    in the prelude
struct FunctionStatement {
  std::string name;
  Span name_span;
  PatternPtr parameter;  ///< null for a declaration without a body (a stub)
  /// Optional arguments `name := default`. In `parameter` they follow the others, in this order.
  std::vector<std::pair<std::string, ExprPtr>> optional{};
  TypeDecl declared{};  ///< type is null if there is none
  /// True if parameters have their own types (Pattern::declared), and `declared` is the type of the result only.
  bool declares_result = false;
  std::string doc{};
  ExprPtr body{};  ///< null for a stub
  bool specialization = false;
};
/// Prelude only: primitive [serial] name : type "doc" [= "text" ["failure"]];  `text` is the VCODE instruction, and
/// `failure` the message for an element at fault. Primitives without a text are implemented by the compiler
/// (Intrinsic).
struct PrimitiveStatement {
  std::string name;
  Span name_span;
  TypeDecl declared;
  std::string doc;
  std::string instruction;  ///< empty if none was given
  std::string failure;      ///< empty if none was given
  bool serial = false;
};
struct DatatypeStatement {
  struct Field {
    std::string name;
    Span span;
  };
  std::string name;
  Span name_span;
  TypeDecl contents;            ///< its parameters are the variables of the context, in order
  std::vector<Field> fields{};  ///< names for all parts of the contents, or empty
  std::string doc{};
};
/// pattern = value, or a bare expression (null pattern), which is bound to `it`.
struct ValueStatement {
  PatternPtr pattern{};
  ExprPtr value{};
  /// Variables visible only in the value, which have values when the program starts; null if there are none. Inference
  /// takes the pattern's type, if that is set already, as given.
  PatternPtr parameter{};
};
/// A command of the interactive top level, such as load "file".
struct CommandStatement {
  std::string text;  ///< the whole command without the terminator
};
/// test "title" for pattern : type, … | assumption = condition;
struct TestStatement {
  std::string title;
  PatternPtr parameter;  ///< the variables behind `for`, each pattern with its declared type; null without `for`
  ExprPtr assumption;    ///< null if there is none
  ExprPtr condition;
};
/// bench "title" for variable in sizes; pattern = value; … = expression;
struct BenchStatement {
  std::string title;
  PatternPtr variable;  ///< the size; null without `for`
  ExprPtr sizes;        ///< null without `for`
  /// Values that are computed before the clock starts. Empty without `for`.
  std::vector<std::pair<PatternPtr, ExprPtr>> bindings;
  ExprPtr expression;
};

struct Statement {
  Span span;
  std::variant<FunctionStatement, PrimitiveStatement, DatatypeStatement, ValueStatement, CommandStatement,
               TestStatement, BenchStatement>
      node;
};

}  // namespace nesl

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

/// What a binding takes a value apart with.
struct Pattern {
  enum class Kind : std::uint8_t {
    kVariable,  ///< name
    kPair,      ///< parts[0], parts[1]
    kData,      ///< name(parts[0]): takes a datatype's wrapper off
  };
  Kind kind = Kind::kVariable;
  Span span;
  std::string name;
  std::vector<PatternPtr> parts;
  TypeExprPtr declared{};            ///< of a parameter `pattern : type`, or null
  Type* type = nullptr;              ///< set by inference
  Definition* datatype = nullptr;    ///< of kData, set by inference
  std::uint32_t local = UINT32_MAX;  ///< of kVariable: number within the definition, set by inference
};

// --- expressions --------------------------------------------------------------------------------------------
// Operators, indexing and ranges are calls of the prelude function that implements them: a + b is +(a, b),
// -a is negate(a), #a is #(a), @a is @(a), a[i] is elt(a, i), [s:e] is iseq(s, 1, e), [s:e:d] is iseq(s, d, e).
// closure(function, value) is let v = value in a => function(v, a), whose variables have names that no program can
// write, so that they hide nothing:
inline constexpr std::string_view kClosureValue = "(closure value)";
inline constexpr std::string_view kClosureArgument = "(closure argument)";

struct IntLiteral {
  std::string digits;
  bool negated = false;  ///< the operand of a minus sign: may be as large as the most negative int
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
  // Set by inference: exactly one of the two is meaningful.
  Definition* definition = nullptr;    ///< null for a local variable
  std::uint32_t local = UINT32_MAX;    ///< number of a local variable, as in Pattern::local
  std::vector<Type*> instantiation{};  ///< one type for each quantified variable of the definition's scheme
  /// The parser put it in for other syntax, as elt for a[i]: it is the library's, whatever the program defines.
  bool implied = false;
};
/// function(argument). Several arguments are one tuple.
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
  TypeExprPtr element;  ///< null if it is to be inferred
};
/// record.name: a field of a datatype's value.
struct Field {
  ExprPtr record;
  std::string name;
  Span name_span;
  Definition* datatype = nullptr;  ///< set by inference
  std::size_t position = 0;        ///< among the datatype's fields, set by inference
};
/// {body : pattern in sequence; … | filter}. The parser has filled in omitted sequences and bodies.
struct Each {
  bool serial = false;  ///< {* … }
  ExprPtr body;
  std::vector<std::pair<PatternPtr, ExprPtr>> bindings;  ///< at least one
  ExprPtr filter;                                        ///< may be null
};
/// time(expression): the pair of its value and the seconds it took.
struct Time {
  ExprPtr expression;
};
/// `name := value`, only inside the argument tuple of a call; gone after inference.
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

/// The parts of a tuple as pairs, which nest to the right: of a, b, c, join(a, join(b, c)). At least one part.
template <class Part, class Join>
Part nest_pairs(std::vector<Part> parts, Join&& join) {
  VC_CHECK(!parts.empty());
  Part tuple = std::move(parts.back());
  for (parts.pop_back(); !parts.empty(); parts.pop_back()) tuple = join(std::move(parts.back()), std::move(tuple));
  return tuple;
}

// --- statements ---------------------------------------------------------------------------------------------

/// function name(parameter) : type "doc" = body;  or, in the prelude,  specialize name(parameter) : type = body;
/// Also function name(pattern : type, …) : type of the result "doc" = body;
struct FunctionStatement {
  std::string name;
  Span name_span;
  PatternPtr parameter;  ///< null if it only declares (a stub)
  /// Optional arguments `name := default`, which follow the others in `parameter` in this order.
  std::vector<std::pair<std::string, ExprPtr>> optional{};
  TypeDecl declared{};  ///< type is null if there is none
  /// Parameters have types of their own (Pattern::declared), and `declared` is about the result alone.
  bool declares_result = false;
  std::string doc{};
  ExprPtr body{};  ///< null for a stub
  bool specialization = false;
};
/// Prelude only: primitive [serial] name : type "doc" [= "text" ["failure"]];  The compiler knows what to do, or `text`
/// is the VCODE instruction, and `failure` the message if its elements are at fault.
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
  TypeDecl contents;            ///< parameters are the variables of the context, in its order
  std::vector<Field> fields{};  ///< names for all parts of the contents, or none
  std::string doc{};
};
/// pattern = value, or a bare expression (pattern null), which is bound to `it`.
struct ValueStatement {
  PatternPtr pattern{};
  ExprPtr value{};
  /// Variables that only the value sees, and that have a value when the program starts; null: none.
  PatternPtr parameter{};
};
/// A command of the interactive top level: its words, e.g. {"load", "\"file\""}.
struct CommandStatement {
  std::string text;  ///< without the terminator
};

struct Statement {
  Span span;
  std::variant<FunctionStatement, PrimitiveStatement, DatatypeStatement, ValueStatement, CommandStatement> node;
};

}  // namespace nesl

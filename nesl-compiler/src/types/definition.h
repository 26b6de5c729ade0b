#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "nesl_types.h"
#include "syntax/ast.h"
#include "syntax/intrinsic.h"

namespace nesl {

/// Meaning of a global name. A definition lives as long as the session; expressions refer to it by pointer, so that
/// redefining a function with the same type also changes its earlier callers.
struct Definition {
  enum class Kind : std::uint8_t {
    kFunction,   ///< written in NESL (a stub until body is set)
    kPrimitive,  ///< implemented by the compiler or a VCODE instruction
    kDatatype,   ///< the constructor of a datatype
    kGlobal,     ///< a value computed at the top level
  };
  Kind kind;
  std::string name;                      ///< in lower case
  const base::Source* source = nullptr;  ///< text that contains all spans of this definition
  Span span{};                           ///< span of the name in its definition
  bool prelude = false;  ///< part of the language; errors inside are reported at the location of the call
  std::string doc{};

  /// kFunction: its type. kDatatype: the type of the constructor. kGlobal: the quantified variables are those in the
  /// types of all globals of the statement (functions such as x => x leave some).
  Scheme scheme{};

  // Datatypes.
  std::vector<std::string> fields{};  ///< names of the parts of the contents, or empty
  std::vector<Span> field_spans{};    ///< where the datatype's definition names them

  // Functions.
  PatternPtr parameter{};
  ExprPtr body{};
  std::uint32_t locals = 0;                                 ///< number of local variables, which are numbered from 0
  std::vector<std::pair<std::string, ExprPtr>> optional{};  ///< optional arguments and their defaults
  bool serial_only = false;                                 ///< must not be reached from inside an apply-to-each
  bool recursive = false;  ///< reaches itself; valid after each analysis of a value statement
  /// A global that the body refers to, inside or outside of an apply-to-each: one entry for each combination. Omits
  /// prelude definitions that cannot affect the flags above.
  struct Use {
    Definition* definition;
    Span span;  ///< span of the first such reference
    bool parallel;
  };
  std::vector<Use> uses{};
  bool used = false;  ///< referred to by another definition

  // Primitives.
  std::string instruction{};               ///< VCODE instruction; empty if there is none
  std::string failure{};                   ///< message for an element at fault in the instruction; may be empty
  Intrinsic intrinsic = Intrinsic::kNone;  ///< implementation of a primitive without an instruction
  /// Implementations for more special types, tried in order before the definition itself: the first one whose type
  /// matches the instance is used.
  std::vector<std::unique_ptr<Definition>> specializations{};

  // Globals.
  /// The statement that computes the global, shared by all globals of its pattern.
  std::shared_ptr<struct GlobalStatement> statement{};
  std::uint32_t local = UINT32_MAX;  ///< number of the variable in the statement's pattern
};

/// A top-level `pattern = value`, or an expression bound to `it`.
struct GlobalStatement {
  const base::Source* source = nullptr;
  PatternPtr pattern;  ///< the variable `it` for a bare expression
  ExprPtr value;
  PatternPtr parameter;  ///< as in ValueStatement
  std::uint32_t locals = 0;
  std::vector<Definition*> globals;  ///< globals that the pattern defines; set by Environment::commit()
};

}  // namespace nesl

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "nesl_types.h"
#include "syntax/ast.h"
#include "syntax/intrinsic.h"

namespace nesl {

/// Everything a global name can stand for. A definition lives as long as the session; expressions refer to
/// it by pointer, so that a function defined again with the same type changes its earlier callers too.
struct Definition {
  enum class Kind : std::uint8_t {
    kFunction,   ///< written in NESL (a stub until body is set)
    kPrimitive,  ///< known to the compiler
    kDatatype,   ///< its constructor
    kGlobal,     ///< a value computed at the top level
  };
  Kind kind;
  std::string name;                      ///< in lower case
  const base::Source* source = nullptr;  ///< the text that all spans of this definition refer to
  Span span{};                           ///< of the name in its definition
  bool prelude = false;                  ///< part of the language; errors inside are the caller's
  std::string doc{};

  /// Of a function: its type. Of a datatype: the constructor's. Of a global: quantified are the variables in the
  /// types of all globals of its statement (functions such as x => x leave some).
  Scheme scheme{};

  // Datatypes.
  std::vector<std::string> fields{};  ///< the names of the parts of the contents, or empty

  // Functions.
  PatternPtr parameter{};
  ExprPtr body{};
  std::uint32_t locals = 0;                                 ///< local variables are numbered 0 … locals - 1
  std::vector<std::pair<std::string, ExprPtr>> optional{};  ///< optional arguments and their defaults
  bool serial_only = false;                                 ///< must not be reached from inside an apply-to-each
  bool recursive = false;  ///< reaches itself; up to date whenever a value statement has been analysed
  /// The functions and globals that the body refers to, and whether from inside an apply-to-each: one entry of each
  /// kind. Those of the prelude that cannot matter for the flags above are left out.
  struct Use {
    Definition* definition;
    Span span;  ///< of the first such reference
    bool parallel;
  };
  std::vector<Use> uses{};
  bool used = false;  ///< is in the uses of another definition

  // Primitives.
  std::string instruction{};               ///< the VCODE instruction, or empty if there is none
  std::string failure{};                   ///< the message if the instruction finds its elements at fault, or empty
  Intrinsic intrinsic = Intrinsic::kNone;  ///< of a primitive without an instruction
  /// What to do at more special types, tried in order before the primitive or function itself: the first whose
  /// type matches the instance is used.
  std::vector<std::unique_ptr<Definition>> specializations{};

  // Globals.
  /// The statement that computes the global, shared by all globals of its pattern.
  std::shared_ptr<struct GlobalStatement> statement{};
  std::uint32_t local = UINT32_MAX;  ///< the number of the variable in the statement's pattern
};

/// A top-level `pattern = value`, or an expression bound to `it`.
struct GlobalStatement {
  const base::Source* source = nullptr;
  PatternPtr pattern;  ///< of a bare expression: the variable `it`
  ExprPtr value;
  PatternPtr parameter;  ///< as in ValueStatement
  std::uint32_t locals = 0;
  std::vector<Definition*> globals;  ///< those the pattern defines, once Environment::commit has run
};

}  // namespace nesl

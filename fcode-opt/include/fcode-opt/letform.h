#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vcode/program.h"

/// Let-form: programs as named values bound once. There is no stack: COPY, POP and CPOP do not exist.
/// The NESL compiler builds it, passes (fcode-opt/passes.h) transform it, and to_stack_code() writes it as VCODE.
namespace vcode::letform {

/// A value of a function: index into Function::values.
using Var = std::uint32_t;
inline constexpr Var kNoVar = UINT32_MAX;

/// What is known of a value. The kind is kInt, kBool, kFloat or kSegdes.
struct ValueInfo {
  Kind kind = Kind::kInt;
  bool scalar = false;    ///< certainly a vector of length 1, or a descriptor of one segment
  std::string name = {};  ///< for printing; need not be distinct
};

struct Binding;

/// Bindings in order, and what the block yields.
struct Block {
  std::vector<Binding> bindings;
  std::vector<Var> results;
};

/// let results = …
struct Binding {
  enum class Form : std::uint8_t {
    kOp,     ///< op, suffix, operands as in its signature (deepest first)
    kConst,  ///< target: index into Program::constants; one result
    kCall,   ///< target: index into Program::functions; operands are its parameters
    kIf,     ///< operands[0]: a scalar BOOL; blocks[0] if true, blocks[1] if false; each yields the results
    kFused,  ///< a kernel (vcode/kernel.h): blocks[0] are its steps, which use only the operands and each other and
             ///< yield the results. operands[target] is what it goes over. Their nests must be part of this one
  };
  Form form = Form::kOp;
  Op op = Op::kExit;
  Suffix suffix = Suffix::kNone;
  std::uint32_t target = 0;
  std::vector<Var> operands = {};
  std::vector<Var> results = {};
  std::vector<Block> blocks = {};
  std::uint32_t site = kNoSite;  ///< index into Program::sites
  /// What leads from an element of this instruction out to the enclosing apply-to-each levels, innermost first; it
  /// must still be on the stack when the instruction runs. An element of a descriptor (SEGDES) belongs to a segment,
  /// which is the element one level further out; element k of an index vector (INT) is element index[k] of the level
  /// further out, and of flags (BOOL) the one with the flag that is the k-th true one.
  /// Of an operation that reads the clock: what it waits for, values of any kind.
  std::vector<Var> nest = {};
  bool outermost = false;           ///< the nest ends here: no apply-to-each of the callers is around this instruction
  bool place_only = false;          ///< of the site only the place counts, and nothing is known of the nest
  std::uint32_t inlined = kNoCall;  ///< index into Program::inlined: the call that brought the binding here
};

/// As vcode::InlinedCall: the place of a call that was inlined.
struct InlinedCall {
  std::uint32_t site;    ///< index into Program::sites, of which only the place counts
  std::uint32_t around;  ///< index into Program::inlined, of an earlier one; or kNoCall
};

inline constexpr std::uint32_t kNoFunction = UINT32_MAX;

/// In a program that is only partly let-form (see from_stack_code): where the callers of a function and its body are.
enum class Linkage : std::uint8_t {
  kInternal,  ///< called from let-form only
  kRoot,      ///< also from stack code: it must stay, and so must its parameters and results
  kExternal,  ///< it is stack code. Parameters and results are declared, the body is empty
};

struct Function {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<Var> parameters;  ///< deepest first
  Cuts cuts = {};               ///< one for each parameter, if a call may be run in pieces
  Block body;                   ///< results: deepest first
  Linkage linkage = Linkage::kInternal;
  std::uint32_t original = kNoFunction;  ///< if not internal: which function of the stack code it was or is
  bool returns = true;                   ///< false: certainly not, so that calls must be kept
};

struct Program {
  std::vector<Function> functions;
  std::vector<Constant> constants;
  std::vector<Site> sites;
  std::vector<InlinedCall> inlined = {};
  std::uint32_t entry = 0;
  /// Lengths agree as the signatures say wherever an operation runs, which holds for the output of the NESL compiler.
  /// In stack code they may disagree, which stops the program: an operation whose lengths are not known to agree has an
  /// effect (docs/decisions/008-lengths-that-disagree.md).
  bool lengths_agree = true;
};

/// Whether an operation must run although nothing uses its results, and keep its place among other operations with
/// effects. Assumes that lengths agree.
bool has_effect(Op op, Suffix suffix);

/// Whether an elementwise operation whose last operand is this number cannot be at fault, whatever the others are and
/// however wide INT and FLOAT.
bool is_harmless(Op op, Suffix suffix, int last);
/// 0 or 1, whichever is harmless as its last operand; nothing if neither is.
std::optional<int> harmless_operand(Op op, Suffix suffix);

/// As text, one binding a line; deterministic.
std::string to_text(const Program& program);

/// The first thing that is wrong with a program, or an empty string: every value bound once before its use in an
/// enclosing block, kinds and counts as the operation table, callee or other branch says.
std::string verify(const Program& program);

}  // namespace vcode::letform

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

/// Facts about a value. The kind is kInt, kBool, kFloat, kByte or kSegdes.
struct ValueInfo {
  Kind kind = Kind::kInt;
  bool scalar = false;    ///< certainly a vector of length 1, or a descriptor of one segment
  std::string name = {};  ///< for printing; need not be distinct
};

struct Binding;

/// Bindings in order, and the values that the block yields.
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
             ///< yield the results. operands[target] is the index space. The nests of steps must be part of this
             ///< binding's nest
    // Only in the output of the NESL compiler, until choose_masks():
    kLiftedIf,  ///< a conditional for each element: operands as in LiftedIf. blocks[0] computes results for the
                ///< elements with a true flag, blocks[1] for the others. A result that is bound outside of the block is
                ///< for all elements; kNoVar: unspecified. The results are for all elements. The nest is that of
                ///< operations on all elements; the site, if any, is for remarks
    kSteps,     ///< a step of a loop, which may be taken any number of times: the results begin as the operands, and
                ///< blocks[0] computes their next values, and whether each element has taken the step: its last result.
                ///< The message of the site is the name of the loop
  };
  Form form = Form::kOp;
  Op op = Op::kExit;
  Suffix suffix = Suffix::kNone;
  std::uint32_t target = 0;
  std::vector<Var> operands = {};
  std::vector<Var> results = {};
  std::vector<Block> blocks = {};
  /// Of a repeated kernel (vcode/kernel.h): the values of the loop inside, which begin as the first operands.
  std::vector<Var> state = {};
  std::uint32_t site = kNoSite;  ///< index into Program::sites
  /// Path from an element of this instruction out to the enclosing apply-to-each levels, innermost first. Its values
  /// must still be on the stack when the instruction runs. For a descriptor (SEGDES), the element one level further out
  /// is the segment that the element belongs to. For an index vector (INT), element k is element index[k] one level
  /// further out. For flags (BOOL), element k is the element with the k-th true flag.
  /// For an operation that reads the clock: the values, of any kind, that must be computed before it runs.
  std::vector<Var> nest = {};
  bool outermost = false;           ///< the nest ends here: no apply-to-each of the callers encloses this instruction
  bool location_only = false;       ///< only the location in the site counts, and nothing is known of the nest
  std::uint32_t inlined = kNoCall;  ///< index into Program::inlined: the call that brought the binding here
};

/// Operands of a kLiftedIf: flags over the descriptor `all`, which has one segment; their opposites; and scalar BOOLs,
/// computed by reductions: whether there is a true flag, a false one, both.
enum LiftedIf : std::uint8_t { kFlags, kOthers, kAll, kSome, kSomeOthers, kMixed, kLiftedIfOperands };

/// Location of a call that was inlined, as in vcode::InlinedCall.
struct InlinedCall {
  std::uint32_t site;    ///< index into Program::sites, of which only the location counts
  std::uint32_t around;  ///< index into Program::inlined, of an earlier element; or kNoCall
};

inline constexpr std::uint32_t kNoFunction = UINT32_MAX;

/// Where the callers and the body of a function are, in a program that is only partly let-form (see from_stack_code).
enum class Linkage : std::uint8_t {
  kInternal,  ///< called from let-form only
  kRoot,      ///< called from stack code, too: the function, its parameters and its results must stay
  kExternal,  ///< stack code: parameters and results are declared, the body is empty
};

struct Function {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<Var> parameters;        ///< deepest first
  PieceOperands piece_operands = {};  ///< how each parameter is divided, if a call may be run in pieces; else empty
  Block body;                         ///< results: deepest first
  Linkage linkage = Linkage::kInternal;
  std::uint32_t original = kNoFunction;  ///< unless internal: the number of this function in the stack code
  bool returns = true;                   ///< false: certainly never returns, so calls must be kept
};

struct Program {
  std::vector<Function> functions;
  std::vector<Constant> constants;
  std::vector<Site> sites;
  std::vector<InlinedCall> inlined = {};
  std::uint32_t entry = 0;
  /// Whether lengths agree as the signatures say wherever an operation runs, as in the output of the NESL compiler. In
  /// stack code lengths may disagree, which stops the program; an operation whose lengths are not known to agree has an
  /// effect (docs/decisions/008-lengths-that-disagree.md).
  bool lengths_agree = true;
  /// Whether the program was stack code, whose compiler may know no operations beyond 1995: see recognize().
  bool from_stack_code = false;
};

/// Whether an operation must run although nothing uses its results, and must stay in order with other operations that
/// have effects. Assumes that lengths agree.
bool has_effect(Op op, Suffix suffix);

/// Whether an elementwise operation with this number as its last operand cannot fault, whatever the other operands are
/// and however wide INT and FLOAT are.
bool is_faultless(Op op, Suffix suffix, int last);
/// The number, 0 or 1, that keeps the operation from faulting if it is the last operand; nothing if neither does.
std::optional<int> faultless_operand(Op op, Suffix suffix);

/// Text of a program, one binding a line; deterministic.
std::string to_text(const Program& program);

/// First mistake in a program, or an empty string. Checks that every value is bound once, before its uses, in an
/// enclosing block, and that kinds and counts are as the operation table, the callee or the other branch says.
std::string verify(const Program& program);

}  // namespace vcode::letform

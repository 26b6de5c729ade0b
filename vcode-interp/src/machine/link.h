#pragma once

#include <optional>
#include <vector>

#include "runtime/evaluator.h"
#include "runtime/prepared_kernel.h"
#include "vcode/program.h"

namespace interp {

/// The opcodes of the machine: the elementwise rows of ops.def, four for each (one per suffix), then these.
enum class Control : std::uint16_t {
  kVector = vcode::kOps * 4,  ///< scan, reduce and vector rows: `op`, `suffix`
  // Vector rows that the machine computes itself for a single segment.
  kLengths,
  kElements,
  kMakeSegdes,
  kSystem,   ///< system rows: `op`, `suffix`
  kFused,    ///< run kernel a
  kConst,    ///< push constant a
  kCopyOne,  ///< push the value at depth a
  kCopy,     ///< push the a values at depth b
  kDrop,     ///< pop a values
  kPop,      ///< remove the a values at depth b
  kCpopOne,  ///< move the value at depth a to the top
  kCpop,     ///< move the a values at depth b to the top
  kPair,
  kUnpair,
  kCall,      ///< continue at code a
  kTailCall,  ///< as kCall, where only RET follows
  kPieces,    ///< as kCall, of function b, which can run in pieces
  kReturn,
  kIf,    ///< pop a truth value; continue at code a if false
  kJump,  ///< continue at code a
  kExit,
  kTooDeep,  ///< COPY, POP or CPOP beyond the depth of any stack
};

/// One step of the machine.
struct Code {
  std::uint16_t opcode;
  std::uint8_t op;      ///< vcode::Op, where there is one
  std::uint8_t suffix;  ///< vcode::Suffix
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

constexpr bool is(const Code& code, Control control) { return code.opcode == static_cast<std::uint16_t>(control); }

/// The opcode of an elementwise row with a suffix; elementwise rows have only the first four suffixes.
constexpr std::uint16_t elementwise_opcode(vcode::Op op, vcode::Suffix suffix) {
  return static_cast<std::uint16_t>(static_cast<int>(op) * 4 + static_cast<int>(suffix));
}

/// A program ready to run: jumps resolved, constants made.
struct LinkedProgram {
  struct Origin {
    std::uint32_t function;
    std::uint32_t instruction;  ///< index in the body; its size for RET
  };
  std::vector<Code> code;
  std::vector<Origin> origins;  ///< of each element of `code`
  std::vector<std::uint32_t> function_starts;
  std::vector<bool> is_recursive;  ///< for each function: it calls itself, directly or through others
  std::vector<runtime::Value> constants;
  std::vector<runtime::PreparedKernel> kernels;  ///< in the order of the program, which they refer to
  std::uint32_t entry = 0;
};

/// Copies a linked program for the evaluator of a worker. Nothing if memory is exhausted.
std::optional<LinkedProgram> link_for_worker(const LinkedProgram& linked, const vcode::Program& program,
                                             runtime::Evaluator& worker);

/// Links a program. Nothing on failure, with the reason in `diagnostics`.
std::optional<LinkedProgram> link_program(const vcode::Program& program, runtime::Evaluator& evaluator,
                                          base::Diagnostics& diagnostics);

}  // namespace interp

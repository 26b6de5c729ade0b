#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "runtime/joined_results.h"

namespace interp {

class Machine;

/// The position of a piece in the call of another machine.
struct PieceOf {
  const Machine* caller = nullptr;  ///< stays at its CALL while the piece runs
  std::int64_t first_instance = 0;  ///< number of the piece's first instance of the function's code in the whole call
  /// Whether calls in the piece may run in pieces too: its memory is unknown, or exceeds that of one piece.
  bool is_large = true;
  /// Number of the piece among the pieces that run in parallel; an inner piece has the number of the outer one.
  /// `first_failure` is the least number of a piece that has failed: pieces with larger numbers may stop. Null if no
  /// piece runs in parallel.
  std::int64_t number = 0;
  const std::atomic<std::int64_t>* first_failure = nullptr;
};

/// Exception that ends a piece whose result is no longer needed.
struct PieceGivenUp {};

/// Fixed work of an instruction, in bytes: as many as are written in the time of an instruction on short vectors.
inline constexpr double kWorkOfInstruction = 2048;

/// The cost of a piece, in figures that do not depend on the processor or on timing.
struct PieceCost {
  double bytes = 0;    ///< of the operands
  double peak = 0;     ///< most bytes of long vectors at a time, without the operands
  double work = 0;     ///< bytes written by instructions or read by reductions, plus kWorkOfInstruction for each
  double results = 0;  ///< bytes of the results
  double steps = 0;    ///< part of `work` that is kWorkOfInstruction for each instruction
};

/// The size that pieces of a function should have, and the work of its calls (see PieceCost), estimated from samples.
struct PieceSize {
  double bytes = 0;       ///< of the operands; 0: unknown
  PieceCost sample = {};  ///< the largest that is known
  double fixed = 0;       ///< work that does not depend on the operands, with that of instructions
  double rate = 0;        ///< other work for each byte of the operands
};

/// The piece sizes of each function of a program.
using PieceSizes = std::vector<PieceSize>;

/// Estimates the piece size from two samples, of which `small` may be empty. Pieces of that size take `memory` bytes,
/// or more if the part of their work that does not depend on the size would be large: operations on shared operands,
/// and the work of the interpreter, since pieces of a recursion make nearly as many calls as the whole call. Infinite
/// if pieces take little memory besides their results, as results are copied when they are joined.
PieceSize piece_size(const PieceCost& small, const PieceCost& large, double memory);

/// The number of pieces in which `threads` threads run a call with `bytes` bytes of operands, although it has memory to
/// run whole: if its operations are too short to be divided, and most of its work is divided when the call is. Else 1.
std::int64_t pieces_for_threads(const PieceSize& size, double bytes, int threads);

/// A call that runs in pieces.
struct CallInPieces {
  std::uint32_t function;
  const runtime::Value* operands;
  const runtime::DividedCall& cut;
  runtime::JoinedResults results;
  std::int64_t first_instance = 0;  ///< see PieceOf; of a call that is a part of a whole one
  bool is_divided_alone = true;     ///< whether one process would run the call in pieces, too
};

/// The outcome of running a piece.
struct PieceOutcome {
  std::int64_t begin = 0, end = 0;  ///< range of the index space
  std::vector<runtime::Value> results = {};
  runtime::Evaluator* evaluator = nullptr;  ///< owner of `results`
  PieceCost cost = {};
  PieceSizes learnt = {};
  std::exception_ptr error = nullptr;
  bool out_of_memory = false;                 ///< `error` is exhausted memory
  std::shared_ptr<Machine> failed = nullptr;  ///< the machine with the error
};

}  // namespace interp

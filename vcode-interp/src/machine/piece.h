#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "runtime/joined_results.h"

namespace interp {

class Machine;

/// What a machine knows that runs a piece of another one's call.
struct PieceOf {
  const Machine* caller = nullptr;  ///< at its CALL while the piece runs
  std::int64_t first_instance = 0;  ///< of the function's code, among those of the whole call
  /// Whether calls in the piece may be run in pieces, too: what it takes is not known, or too much for one piece.
  bool is_large = true;
  /// The number of the piece, among those that run side by side, which this one is or is part of, and of the first of
  /// them that has failed, after which later ones need not go on. Null: none run beside it.
  std::int64_t number = 0;
  const std::atomic<std::int64_t>* first_failure = nullptr;
};

/// Ends a piece whose result is no longer needed.
struct PieceGivenUp {};

/// The work that an instruction counts for besides what it writes: the bytes that are written in the same time.
inline constexpr double kWorkOfInstruction = 2048;

/// What running a piece has cost. The same on every machine.
struct PieceCost {
  double bytes = 0;    ///< of its operands
  double peak = 0;     ///< bytes of long vectors beyond the operands
  double work = 0;     ///< bytes that instructions have written, or reductions read, and kWorkOfInstruction for each
  double results = 0;  ///< bytes of what it has returned
  double steps = 0;    ///< how much of the work is kWorkOfInstruction for each instruction
};

/// How large the pieces of a function should be, which a machine learns from running some.
struct PieceSize {
  double bytes = 0;    ///< of the operands; 0: not known
  double sampled = 0;  ///< the size of the piece from which it is known
};

/// For each function of a program.
using PieceSizes = std::vector<PieceSize>;

/// The size of pieces of which two samples are known, the first of which may be none: with it they take `memory` bytes,
/// but at least so much work that what does not depend on their size, such as operations on shared operands, is a small
/// part of it. Neither does the interpreter's work: pieces of a recursion make nearly as many calls as the whole of it.
/// Infinite if they take little memory besides their results, which are copied when they are joined.
PieceSize piece_size(const PieceCost& small, const PieceCost& large, double memory);

/// A call that runs in pieces.
struct CallInPieces {
  std::uint32_t function;
  const runtime::CutCall& cut;
  runtime::JoinedResults results;
};

/// How a piece has ended.
struct PieceOutcome {
  std::int64_t begin = 0, end = 0;  ///< the elements of the index space
  std::vector<runtime::Value> results = {};
  runtime::Evaluator* evaluator = nullptr;  ///< whose values these are
  PieceCost cost = {};
  PieceSizes learnt = {};
  std::exception_ptr error = nullptr;
  bool out_of_memory = false;                 ///< by which the error is
  std::shared_ptr<Machine> failed = nullptr;  ///< where the error has come about
};

}  // namespace interp

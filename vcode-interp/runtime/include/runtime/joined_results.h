#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/divided_call.h"

namespace runtime {

/// Type and length of one result of a function, as observed in its pieces.
struct ResultShape {
  bool is_segdes = false;
  ElemType type = {};  ///< of the entries: a vector's elements, or the lengths of a descriptor's segments
  /// Those of DividedCall::spaces() that had as many elements as the result had entries, in every piece.
  std::vector<std::uint32_t> like = {};
};

/// The shapes of all results of a function; empty until a piece has run.
using ResultShapes = std::vector<ResultShape>;

/// Updates `shapes` from the results of the piece [begin, end): spaces with another number of elements are removed.
/// `widths` are those of the program.
void note_results(ResultShapes& shapes, const DividedCall& cut, std::int64_t begin, std::int64_t end,
                  std::span<const Value> results, vcode::Widths widths);

/// Whether all pieces have returned the same number of values, with the same kinds and types, and no pairs.
bool can_join(std::span<const std::vector<Value>> pieces);

/// The concatenated results of a call's pieces. Where the length of a result is predicted, the results of a piece are
/// copied to their final position when the piece ends, while they are in the cache, and their memory is released for
/// other pieces.
class JoinedResults {
 public:
  /// `evaluator` and `cut` must outlive the object.
  JoinedResults(Evaluator& evaluator, const DividedCall& cut) : evaluator_(evaluator), cut_(cut) {}

  /// Allocates the results whose lengths `shapes` predict, as far as memory suffices.
  void make_room(const ResultShapes& shapes);
  /// Copies the results of the piece [begin, end), values of the worker `worker`, into the allocated results, and makes
  /// them views of the copies. Results without allocation stay as they are. Several threads may call this for different
  /// pieces.
  void put(std::int64_t begin, std::int64_t end, std::vector<Value>& results, Evaluator& worker) const;
  /// Copies the results of a piece, values of another device's worker, to the host, where join() needs them. False if
  /// memory is exhausted. Several threads may call this, each for its worker.
  static bool copy_to_host(const std::vector<Value>& results, Evaluator& worker);
  /// Concatenates the results of all pieces: the elements of vectors, the segments of descriptors. can_join(pieces)
  /// must hold. pieces[k] are values of evaluators[k], which no thread is using, and are consumed. Empty if memory is
  /// exhausted.
  std::vector<Value> join(std::span<std::vector<Value>> pieces, std::span<Evaluator* const> evaluators);

 private:
  /// Memory for one result.
  struct Room {
    Value vector;                             ///< kNone: not allocated
    std::uint32_t like = vcode::kIndexSpace;  ///< space with as many elements as the result has entries
  };
  Value put_vector(const Room& room, std::int64_t begin, std::int64_t end, const Value& vector,
                   Evaluator& worker) const;

  Evaluator& evaluator_;
  const DividedCall& cut_;
  std::vector<Room> rooms_;  ///< one for each result; empty before make_room()
};

}  // namespace runtime

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/cut_call.h"

namespace runtime {

/// What pieces of a function tell of one of its results.
struct ResultShape {
  bool is_segdes = false;
  ElemType type = {};  ///< of its entries: a vector's elements, or the lengths of a descriptor's segments
  /// CutCall::spaces() of which every piece has had as many elements as entries of the result.
  std::vector<std::uint32_t> like = {};
};

/// Of all results of a function; none as long as no piece has run.
using ResultShapes = std::vector<ResultShape>;

/// Adds what the results for the elements [begin, end) tell to what is known of the function. `widths` are those of the
/// program.
void note_results(ResultShapes& shapes, const CutCall& cut, std::int64_t begin, std::int64_t end,
                  std::span<const Value> results, vcode::Widths widths);

/// Whether pieces have returned equally many values of the same kinds, none of them pairs.
bool can_join(std::span<const std::vector<Value>> pieces);

/// The results of a call's pieces, one behind the other. Where the length of the whole is foreseen, a piece's results
/// are copied to their place when it ends, while they are in the cache, and their memory is free for other pieces.
class JoinedResults {
 public:
  /// Both outlive this.
  JoinedResults(Evaluator& evaluator, const CutCall& cut) : evaluator_(evaluator), cut_(cut) {}

  /// Makes room for the results whose lengths are foreseen, as far as there is memory.
  void make_room(const ResultShapes& shapes);
  /// Copies the results for the elements [begin, end) to where there is room for them, and has them lie there. They are
  /// values of `lane`. Different pieces may be put there by several threads.
  void put(std::int64_t begin, std::int64_t end, std::vector<Value>& results, Evaluator& lane) const;
  /// The concatenation of the results of all pieces, which it takes, values of these evaluators, which are at rest: for
  /// each result the vectors' elements, or the descriptors' segments. can_join() has approved of them. Empty, although
  /// there are results, if memory is exhausted.
  std::vector<Value> join(std::span<std::vector<Value>> pieces, std::span<Evaluator* const> evaluators);

 private:
  /// Where a result is to lie.
  struct Room {
    Value vector;  ///< kNone: nowhere
    std::uint32_t like = vcode::kIndexSpace;
  };
  Value put_vector(const Room& room, std::int64_t begin, std::int64_t end, const Value& vector, Evaluator& lane) const;

  Evaluator& evaluator_;
  const CutCall& cut_;
  std::vector<Room> rooms_;  ///< of the results, or none
};

}  // namespace runtime

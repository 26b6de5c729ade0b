#pragma once

#include <cstdint>
#include <vector>

#include "runtime/evaluator.h"
#include "vcode/piece_operands.h"

namespace runtime {

/// The operands of a call in pieces (vcode/piece_operands.h), divided into the operands of each piece. A piece is a
/// range of the index space. Operands of pieces share the elements of the call's operands, except for short vectors and
/// on a device, where elements are copied: to another device through the host.
class DividedCall {
 public:
  /// Number of elements of the index space, and bytes of the operands that are divided. Takes constant time; the
  /// operands need not agree with the cuts.
  struct Size {
    std::int64_t elements = 0, bytes = 0;
  };
  static Size size(const vcode::PieceOperands& piece_operands, const Value* operands);
  /// Bytes of the elements of a vector, or of the lengths and starts of a descriptor's segments; 0 for a pair.
  static std::int64_t bytes(const Value& value);

  /// `operands` has one value for each cut. The values may not move or change while this object or a piece exists.
  DividedCall(Evaluator& evaluator, const vcode::PieceOperands& piece_operands, const Value* operands);

  /// Whether kinds and lengths of the operands agree with the cuts, and memory sufficed to read the descriptors. If
  /// false, no other member may be called.
  bool fits() const { return fits_; }
  /// Number of elements of the index space.
  std::int64_t elements() const { return elements_; }
  /// Bytes of divided operands that belong to the elements of the index space before `element`.
  std::int64_t bytes_before(std::int64_t element) const;
  /// End of the longest piece from `begin` whose divided operands take at most `bytes`; at least begin + 1.
  std::int64_t end_of_piece(std::int64_t begin, std::int64_t bytes) const;
  /// Number of instances of the function's code that belong to the elements before `element`. The instances are the
  /// elements of the space that the last operand with kWhole describes; without such an operand, those of the index
  /// space.
  std::int64_t instances_before(std::int64_t element) const;

  /// count(): number of elements of a descriptor operand with kEach, or of the index space (kIndexSpace). before(): how
  /// many of these belong to the elements of the index space before `element`.
  std::int64_t count(std::uint32_t of) const;
  std::int64_t before(std::uint32_t of, std::int64_t element) const;
  /// The numbers that count() and before() accept; the index space is first.
  std::vector<std::uint32_t> spaces() const;

  /// Copies to the host what pieces on other devices than the call's need of the operands. False if memory is
  /// exhausted.
  bool copy_to_host() const;
  /// The operands of the piece [begin, end), as values of the worker `worker`; on another device than the call's only
  /// after copy_to_host(). Several threads may call this, each for its worker. Empty if memory is exhausted.
  std::vector<Value> piece(std::int64_t begin, std::int64_t end, Evaluator& worker) const;

 private:
  struct Part {
    const Value* value;
    vcode::PieceOperand cut;
    std::int64_t bytes = 0;                ///< of one entry; 0 for a shared operand
    const std::int64_t* starts = nullptr;  ///< of a divided, irregular descriptor: start of each segment, then the
                                           ///< number of elements; else null
    std::int64_t regular_length = 0;
  };

  bool look_at(Part& part);
  bool look_at_descriptor(Part& part);
  Value take(const Part& part, std::int64_t begin, std::int64_t end, Evaluator& worker) const;
  Value elements_of(const Value& vector, std::int64_t begin, std::int64_t end, Evaluator& worker) const;
  Value share(const Value& value, Evaluator& worker) const;

  Evaluator& evaluator_;
  std::vector<Part> parts_;
  std::uint32_t instances_ = vcode::kIndexSpace;
  std::int64_t elements_ = -1;
  bool fits_ = true;
};

}  // namespace runtime

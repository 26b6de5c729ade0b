#pragma once

#include <cstdint>
#include <vector>

#include "runtime/evaluator.h"
#include "vcode/cuts.h"

namespace runtime {

/// The operands of a call of a function with pieces, of which ranges can be taken: what belongs to some consecutive
/// elements of the index space. Elements of operands are not copied, except for short vectors and on a device.
class CutCall {
 public:
  /// The elements of the index space and the bytes of operands that are cut. Takes no time, and
  /// the operands need not fit.
  struct Size {
    std::int64_t elements = 0, bytes = 0;
  };
  static Size size(const vcode::Cuts& cuts, const Value* operands);
  /// Of the elements of a vector, or the lengths and starts of a descriptor's segments; none of a pair.
  static std::int64_t bytes(const Value& value);

  /// The operands, one for each cut, which stay where they are and as they are while this and the pieces exist.
  CutCall(Evaluator& evaluator, const vcode::Cuts& cuts, const Value* operands);

  /// Whether kinds and lengths of the operands agree with the cuts, and there was memory to look at the descriptors.
  /// Nothing else may be asked if not.
  bool fits() const { return fits_; }
  /// Of the index space.
  std::int64_t elements() const { return elements_; }
  /// The bytes that the operands have of the elements before this one, those that are shared not counted.
  std::int64_t bytes_before(std::int64_t element) const;
  /// The last element up to which the operands have no more than `bytes` from `begin` on, but at least one element.
  std::int64_t end_of_piece(std::int64_t begin, std::int64_t bytes) const;
  /// How many instances of the function's code belong to the elements before this one. They are the elements of what
  /// the last operand has that is kWhole; those of the index space if there is none.
  std::int64_t instances_before(std::int64_t element) const;

  /// Of an operand that is kEach and a descriptor, or of the index space (kIndexSpace): how many elements it has, and
  /// how many of these belong to the elements of the index space before one.
  std::int64_t count(std::uint32_t of) const;
  std::int64_t before(std::uint32_t of, std::int64_t element) const;
  /// These operands, and the index space first.
  std::vector<std::uint32_t> spaces() const;

  /// The operands of the elements [begin, end), as values of `lane`. Empty if memory is exhausted.
  std::vector<Value> piece(std::int64_t begin, std::int64_t end, Evaluator& lane) const;

 private:
  struct Part {
    const Value* value;
    vcode::Cut cut;
    std::int64_t bytes = 0;                ///< of each entry, if it is cut
    const std::int64_t* starts = nullptr;  ///< of a descriptor that is cut: of each segment, and its elements; null if
                                           ///< all have the same length
    std::int64_t regular_length = 0;
  };

  bool look_at(Part& part);
  bool look_at_descriptor(Part& part);
  Value take(const Part& part, std::int64_t begin, std::int64_t end, Evaluator& lane) const;
  Value elements_of(const Value& vector, std::int64_t begin, std::int64_t end, Evaluator& lane) const;
  Value share(const Value& value, Evaluator& lane) const;

  Evaluator& evaluator_;
  std::vector<Part> parts_;
  std::uint32_t instances_ = vcode::kIndexSpace;
  std::int64_t elements_ = -1;
  bool fits_ = true;
};

}  // namespace runtime

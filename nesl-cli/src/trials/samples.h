#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nesl-compiler/value_shape.h"
#include "runtime/evaluator.h"

namespace nesl_cli {

/// A value of a NESL type as a tree. The shape of the type tells which members have a meaning.
struct Sample {
  std::int64_t number = 0;         ///< an int, the code of a char, or whether a bool is true
  double real = 0;                 ///< a float
  std::vector<Sample> parts = {};  ///< elements of a sequence, parts of a pair, contents of a datatype

  friend bool operator==(const Sample&, const Sample&) = default;
};

/// A generator of random numbers whose sequence depends on the seed alone (SplitMix64; Steele, Lea, Flood 2014).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// A number from 0 to bound - 1.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

/// A random value of a type without functions. Sequences have at most about `size` elements at each level, and most
/// numbers at most the magnitude `size`; some are the extremes of their type, and floats also nan and the infinities.
Sample random_sample(const nesl::ValueShape& shape, std::int64_t size, vcode::Widths widths, RandomNumbers& random);

/// Values that are simpler than a value, the simplest first: shorter sequences, smaller numbers. At most a few hundred.
/// Each chain of simpler values ends.
std::vector<Sample> simpler_samples(const nesl::ValueShape& shape, const Sample& sample);

/// The stack entries of a value (see nesl::ValueShape). Nothing if memory runs out.
std::optional<std::vector<runtime::Value>> entries_of(const nesl::ValueShape& shape, const Sample& sample,
                                                      runtime::Evaluator& evaluator);

}  // namespace nesl_cli

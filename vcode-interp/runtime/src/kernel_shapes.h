#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/value.h"
#include "vcode/kernel_rules.h"

namespace runtime {

/// The lengths of a kernel's values, derived from the lengths of its inputs before a run. Lengths that the signatures
/// of the steps require to be equal form one class.
class KernelShapes {
 public:
  KernelShapes(const vcode::Kernel& kernel, const vcode::KernelFacts& facts);

  /// Reads the lengths of the inputs. False if a kind or a length does not match the signatures. Calls
  /// vector(v, input, length) or descriptor(v, input) for each input v, up to one that does not match.
  template <class Vector, class Descriptor>
  bool bind(Value* inputs, Vector&& vector, Descriptor&& descriptor) {
    std::int64_t* const lengths = lengths_.data();
    std::fill(lengths_.begin(), lengths_.end(), -1);
    lengths[0] = 1;
    const auto agrees = [lengths](std::uint32_t number, std::int64_t length) {
      std::int64_t& known = lengths[number];
      if (known < 0) known = length;
      return known == length;
    };
    vcode::KernelVar v = 0;
    for (const auto& [types, classes] : inputs_) {
      Value& input = inputs[v];
      if (types == 0) {
        if (!input.is_segdes() || !agrees(classes.length, input.elements()) ||
            !agrees(classes.segments, input.segments()))
          return false;
        descriptor(v++, input);
      } else {
        if (!input.is_vector() || (types >> static_cast<int>(input.type()) & 1) == 0) return false;
        const std::int64_t length = input.length();
        if (!agrees(classes.length, length)) return false;
        vector(v++, input, length);
      }
    }
    return true;
  }
  /// Elements of a vector or a descriptor; -1 if unknown before the run.
  std::int64_t length(vcode::KernelVar v) const { return lengths_[classes_[v].length]; }
  /// Segments of a descriptor; -1 if unknown before the run.
  std::int64_t segments(vcode::KernelVar v) const { return lengths_[classes_[v].segments]; }

 private:
  struct Classes {
    std::uint32_t length = 0, segments = 0;
  };
  struct Input {
    std::uint8_t types;  ///< set of element types, a bit each, that have the kind of the input; empty for a descriptor
    Classes classes;
  };
  std::vector<Input> inputs_;
  std::vector<Classes> classes_;       ///< of each value; class 0 has length 1
  std::vector<std::int64_t> lengths_;  ///< of each class; -1 for a class without an input
};

}  // namespace runtime

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/loop_plan.h"
#include "loop_image.h"
#include "random_kernel.h"

namespace cvl::conformance {

/// Memory for calls of loops, in this process at kImageAddress.
class LoopImage {
 public:
  explicit LoopImage(std::size_t bytes);
  ~LoopImage();
  LoopImage(const LoopImage&) = delete;
  LoopImage& operator=(const LoopImage&) = delete;

  ImageHead& head() { return *static_cast<ImageHead*>(memory_); }
  /// Zeroed memory, with a cache line before and behind it.
  void* allocate(std::size_t bytes);
  /// A copy of the image as the content of a file.
  std::string content() const { return {static_cast<const char*>(memory_), bytes_}; }

 private:
  void* memory_;
  std::size_t bytes_, used_;
};

/// A result of a call in an image: a vector.
struct ImageResult {
  std::string name;
  vcode::ElemType type = vcode::ElemType::kI32;
  std::size_t begin = 0;     ///< place in the image
  std::size_t elements = 0;  ///< if `count` is 0
  std::size_t count = 0;     ///< place of the number of elements, an integer of 64 bits
};

/// Adds a call of a form of the loop that computes all of a kernel. Returns its results; nothing if the form has to be
/// called in another way: for blocks of folds one by one, or with segments of several descriptors, or of tables.
std::optional<std::vector<ImageResult>> add_call(LoopImage& image, const kernels::LoopPlan& plan,
                                                 const KernelCase& tried, kernels::Loop::Form form);

}  // namespace cvl::conformance

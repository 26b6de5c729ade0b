#pragma once

#include "classic_case_file.h"
#include "cvl.h"

namespace classic {

/// A heap of the library from which vectors are allocated one after the other. Nothing is freed before its end.
class Heap {
 public:
  Heap();
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// Allocates `units` units.
  vec_p take(int units);
  /// Allocates a vector of n elements.
  vec_p vector(char type, std::int64_t n);
  /// Allocates a vector with these elements.
  vec_p vector(const Elements& elements);
  /// Allocates a descriptor of segments with these lengths.
  vec_p descriptor(const std::vector<double>& lengths);

 private:
  vec_p start_;
  int taken_ = 0;
};

void write(vec_p v, const Elements& elements);
Elements read(vec_p v, char type, std::int64_t n);
/// The segment lengths of a descriptor.
Elements read_descriptor(vec_p sd, int n, int m, Heap& heap);

}  // namespace classic

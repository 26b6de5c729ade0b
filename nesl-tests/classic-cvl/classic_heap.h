#pragma once

#include "classic_case_file.h"
#include "cvl.h"

namespace classic {

/// A heap of the library from which vectors are taken one after the other. Nothing is given back before its end.
class Heap {
 public:
  Heap();
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// A handle of so many units.
  vec_p take(int units);
  /// Room for a vector of n elements.
  vec_p vector(char type, std::int64_t n);
  /// A vector of these elements.
  vec_p vector(const Elements& elements);
  /// A descriptor of segments of these lengths.
  vec_p descriptor(const std::vector<double>& lengths);

 private:
  vec_p start_;
  int taken_ = 0;
};

void write(vec_p v, const Elements& elements);
Elements read(vec_p v, char type, std::int64_t n);
/// The lengths that a descriptor describes.
Elements read_descriptor(vec_p sd, int n, int m, Heap& heap);

}  // namespace classic

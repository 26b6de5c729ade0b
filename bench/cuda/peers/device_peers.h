#pragma once

#include <cstdint>
#include <memory>

#include "vcode/types.h"

namespace bench::cuda {

/// A program written by hand in CUDA.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Computes once; need not wait for it.
  virtual void issue() = 0;
  /// Waits, and returns what the NESL program of the same name prints as its result, up to rounding.
  virtual double result() = 0;
};

/// Waits for the device. Throws std::runtime_error if something failed.
void wait_for_device();

/// CUB's radix sort of pairs: keys that lie on the device with their positions.
std::unique_ptr<Peer> make_sort_pairs(vcode::ElemType type, const void* keys, std::int64_t n);

// Beside the NESL programs, on the same data of 32 bits.
std::unique_ptr<Peer> make_dot(std::int64_t n);
std::unique_ptr<Peer> make_sort(std::int64_t n);
std::unique_ptr<Peer> make_black_scholes(std::int64_t n);
std::unique_ptr<Peer> make_sparse_matrix(std::int64_t rows);
std::unique_ptr<Peer> make_convex_hull(std::int64_t points);
std::unique_ptr<Peer> make_barnes_hut(std::int64_t bodies);

}  // namespace bench::cuda

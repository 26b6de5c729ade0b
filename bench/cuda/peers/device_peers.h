#pragma once

#include <cstdint>
#include <memory>

#include "vcode/types.h"

namespace bench::cuda {

/// A program written by hand in CUDA.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Starts one computation. May return before it is complete.
  virtual void issue() = 0;
  /// Waits, and returns what the NESL program of the same name prints as its result, up to rounding.
  virtual double result() = 0;
};

/// Waits for the device. Throws std::runtime_error if a launch or a kernel failed.
void wait_for_device();

/// CUB's radix sort of pairs of keys, which are on the device, and their positions.
std::unique_ptr<Peer> make_sort_pairs(vcode::ElemType type, const void* keys, std::int64_t n);

// CUB's operations on numbers that are on the device.

/// The exclusive prefix sums.
std::unique_ptr<Peer> make_cub_scan(vcode::ElemType type, const void* values, std::int64_t n);
/// The sum of all numbers.
std::unique_ptr<Peer> make_cub_reduce(vcode::ElemType type, const void* values, std::int64_t n);
/// The sum of each segment; `offsets` as in cvl::SegmentDescriptor.
std::unique_ptr<Peer> make_cub_segmented_reduce(vcode::ElemType type, const void* values, const std::int64_t* offsets,
                                                std::int64_t segments);
/// The exclusive prefix sums within each segment, by keys: the numbers of the segments, which are made before.
std::unique_ptr<Peer> make_cub_scan_by_key(vcode::ElemType type, const void* values, std::int64_t n,
                                           const std::int64_t* offsets, std::int64_t segments);
/// A stable sort of the pairs of 32-bit keys and their positions within each segment.
std::unique_ptr<Peer> make_cub_segmented_sort(const void* keys, std::int64_t n, const std::int64_t* offsets,
                                              std::int64_t segments);
/// The numbers whose flag (a byte) is true. Their count stays on the device.
std::unique_ptr<Peer> make_cub_select(vcode::ElemType type, const void* values, const void* flags, std::int64_t n);

// Peers of the NESL programs of the same names, on the same 32-bit data.
std::unique_ptr<Peer> make_dot(std::int64_t n);
std::unique_ptr<Peer> make_sort(std::int64_t n);
std::unique_ptr<Peer> make_black_scholes(std::int64_t n);
std::unique_ptr<Peer> make_sparse_matrix(std::int64_t rows);
std::unique_ptr<Peer> make_convex_hull(std::int64_t points);
std::unique_ptr<Peer> make_barnes_hut(std::int64_t bodies);

}  // namespace bench::cuda

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// Short vectors of the host among the arguments of a launch, which copies them to memory of the device. An upload of
/// its own would cost the host as much as a launch.
class Deliveries {
 public:
  static constexpr int kMost = 24;
  static constexpr std::size_t kContent = 2048;
  /// The most bytes of a vector: more than the offsets of a descriptor that the host computes (Heap::kInlineLimit).
  static constexpr std::size_t kMostBytes = 1024;

  /// True for memory that `add` can be given: the content is copied by words.
  static bool suit(const void* to, std::size_t bytes) {
    return bytes <= kMostBytes && reinterpret_cast<std::uintptr_t>(to) % kWord == 0;
  }
  bool is_empty() const { return count_ == 0; }
  bool has_room(std::size_t bytes) const { return count_ < kMost && used_ + bytes <= kContent; }
  /// True if a vector is copied to some of these bytes.
  bool fill(const void* data, std::size_t bytes) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    for (int k = 0; k < count_; ++k) {
      const auto to = reinterpret_cast<std::uintptr_t>(pieces_[k].to);
      if (to < begin + bytes && begin < to + pieces_[k].bytes) return true;
    }
    return false;
  }
  void clear() { count_ = 0, used_ = 0; }
  void add(void* to, const void* from, std::size_t bytes) {
    VC_CHECK(suit(to, bytes) && has_room(bytes));
    pieces_[count_++] = {to, static_cast<std::uint32_t>(used_), static_cast<std::uint32_t>(bytes)};
    std::memcpy(content_ + used_, from, bytes);
    used_ += (bytes + kWord - 1) / kWord * kWord;
  }
  /// Calls f(to, from, bytes) for each vector.
  template <class F>
  void for_each(F f) const {
    for (int k = 0; k < count_; ++k) f(pieces_[k].to, content_ + pieces_[k].begin, std::size_t{pieces_[k].bytes});
  }

  /// The copies are made in so many parts, a warp's for each vector.
  VC_HD int parts() const { return 32 * count_; }
  VC_HD void copy(int part) const {
    const Piece& piece = pieces_[part / 32];
    const unsigned char* const from = content_ + piece.begin;
    const unsigned lane = static_cast<unsigned>(part % 32), words = piece.bytes / kWord;
    for (unsigned w = lane; w < words; w += 32)
      static_cast<std::uint64_t*>(piece.to)[w] = reinterpret_cast<const std::uint64_t*>(from)[w];
    for (unsigned b = words * kWord + lane; b < piece.bytes; b += 32)
      static_cast<unsigned char*>(piece.to)[b] = from[b];
  }

 private:
  static constexpr unsigned kWord = 8;
  struct Piece {
    void* to;
    std::uint32_t begin, bytes;  ///< of the content
  };
  std::int32_t count_ = 0;
  std::size_t used_ = 0;
  Piece pieces_[kMost] = {};
  alignas(kWord) unsigned char content_[kContent] = {};
};

}  // namespace cvl::cuda

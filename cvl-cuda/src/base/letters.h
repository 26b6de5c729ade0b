#pragma once

#include <cstdint>

#include "base/check.h"
#include "base/reply.h"
#include "base/scratch.h"

namespace cvl::cuda {

/// A reply with copies of short vectors.
struct Letters {
  const void* from[kMostTransfers] = {};
  std::uint16_t bytes[kMostTransfers] = {};
  std::int32_t count = 0;
  Reply reply;

  Letters() = default;
  Letters(const Transfer* transfers, int n, const Reply& to) : count(n), reply(to) {
    VC_CHECK(n <= kMostTransfers);
    for (int k = 0; k < n; ++k) {
      VC_CHECK(transfers[k].bytes <= kMostTransferBytes);
      from[k] = transfers[k].device;
      bytes[k] = static_cast<std::uint16_t>(transfers[k].bytes);
    }
  }

  /// The copies are made in so many parts, a warp's for each letter.
  VC_HD int parts() const { return 32 * count; }
  /// Copies up to 16 bytes at once, where the source is aligned, and those behind the last 16 one by one.
  VC_HD void copy(int part) const {
    constexpr unsigned kWide = kMostTransferBytes / 32;
    struct alignas(kWide) Wide {
      std::uint64_t words[kWide / 8];
    };
    const auto* const source = static_cast<const unsigned char*>(from[part / 32]);
    unsigned char* const to = reply.letters + part / 32 * kMostTransferBytes;
    const unsigned size = bytes[part / 32], lane = static_cast<unsigned>(part % 32);
    const unsigned wide = reinterpret_cast<std::uintptr_t>(source) % kWide == 0 ? size / kWide : 0;
    if (lane < wide) reinterpret_cast<Wide*>(to)[lane] = reinterpret_cast<const Wide*>(source)[lane];
    for (unsigned b = wide * kWide + lane; b < size; b += 32) to[b] = source[b];
  }
};

}  // namespace cvl::cuda

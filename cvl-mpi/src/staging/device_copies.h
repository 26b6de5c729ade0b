#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "cvl/backend.h"
#include "cvl/shared_device.h"

namespace cvl::mpi {

/// Copies between the host and a device.
struct Transfers {
  std::int64_t uploads = 0, uploaded_bytes = 0;
  std::int64_t downloads = 0, downloaded_bytes = 0;
};

/// Copies of ranges of host memory in memory of a device, whose operations read and fill the copies in place of the
/// ranges. A copy is made when an operation needs it, and lives until the host writes the range, frees it, or the
/// device lacks memory. A copy that an operation has filled is *newer* than the range, until the host reads that.
/// Copies do not overlap: where an operation needs bytes of several of them, they become one.
class DeviceCopies {
 public:
  /// The device is a SharedDevice, and outlives this object.
  explicit DeviceCopies(Backend& device);
  ~DeviceCopies();
  DeviceCopies(const DeviceCopies&) = delete;
  DeviceCopies& operator=(const DeviceCopies&) = delete;

  // For the operands of an operation of the device, then for its results, then behind it. The device's addresses are
  // valid until end_operation(), and null without memory: failed_bytes() tells how much was lacking. They are those of
  // whole blocks of memory, as libraries for devices know vectors by their addresses.

  /// The address of a copy of just these bytes, which are uploaded unless the device has them.
  const void* operand(const void* host, std::size_t bytes);
  /// The address of memory that the operation fills in place of these bytes.
  void* result(void* host, std::size_t bytes);
  /// A descriptor with offsets, and with what the device wants beside them, in memory of the device.
  SegmentDescriptor descriptor(const SegmentDescriptor& descriptor);
  std::size_t failed_bytes() const { return failed_bytes_; }
  void end_operation();
  /// Records that the operation has filled only the first bytes of a result.
  void shorten(const void* host, std::size_t bytes);

  /// Whether the host would have to wait for a device's computation of the byte at an address, or could read it now.
  bool would_wait(const void* host) const;
  /// Brings newer bytes to the host, which then reads them.
  void before_reading(const void* host, std::size_t bytes);
  /// Records that the host then writes these bytes, which copies lack from now on.
  void before_writing(const void* host, std::size_t bytes);
  /// Drops these bytes from the copies that end with them: they are undefined from now on.
  void discard(const void* host, std::size_t bytes);
  /// Drops copies with some of these bytes, which are freed.
  void forget(const void* host, std::size_t bytes);

  const Transfers& transfers() const { return transfers_; }

 private:
  /// Memory of the device.
  struct Block {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  /// Heads and non-empty segments of the descriptor whose offsets are copied.
  struct Expansion {
    std::int64_t elements = -1;  ///< -1: not there
    Block heads, nonempty;
  };
  /// Bytes of the host.
  struct Bytes {
    const std::byte *begin = nullptr, *end = nullptr;

    bool empty() const { return begin == end; }
  };
  struct Copy {
    std::size_t bytes = 0;
    Block block;
    bool is_newer = false;
    Bytes written;              ///< by the host, which the copy lacks
    std::int64_t last_use = 0;  ///< number of an operation
    Expansion expansion;
  };
  using Copies = std::map<const std::byte*, Copy>;  // by address on the host

  static std::byte* address(const Block& block) { return static_cast<std::byte*>(block.data); }
  /// The first copy with some of these bytes, or that behind them.
  Copies::iterator first_overlapping(const std::byte* host);
  /// The copy with all of these bytes; null if there is none.
  Copies::value_type* containing(const std::byte* host, std::size_t bytes);
  const void* compose(const std::byte* begin, std::size_t bytes);
  Block allocate(std::size_t bytes);
  /// Frees the copy that was not used for the longest time, but those of the current operation.
  bool evict();
  void upload(void* to, const void* host, std::size_t bytes);
  void download(const Copies::value_type& copy, const std::byte* begin, const std::byte* end);
  /// Without what the host has written.
  void download_newer(const Copies::value_type& copy, const std::byte* begin, const std::byte* end);
  bool refresh(Copies::value_type& copy);
  /// Brings all bytes of a copy to the host if they are newer.
  void write_back(Copies::value_type& copy);
  Copies::iterator remove(Copies::iterator copy);
  /// Leaves the first bytes of a copy, which has more. Returns the next copy.
  Copies::iterator shorten(Copies::iterator copy, std::size_t bytes);
  /// Removes the copies with some of these bytes. Newer bytes beside them come to the host before.
  void drop(const std::byte* begin, std::size_t bytes);
  /// Frees a block, after the current operation if that may use it.
  void free(const Block& block, bool is_used);
  void drop_expansion(Copy& copy);
  bool expand(Copy& copy, const SegmentDescriptor& on_device, const std::int64_t* offsets);

  Backend& device_;
  SharedDevice& shared_;  ///< the device
  Copies copies_;
  std::int64_t operation_ = 1;
  std::vector<Block> retired_;  ///< freed behind the current operation
  Block nothing_;               ///< an address for vectors without elements
  std::size_t failed_bytes_ = 0;
  Transfers transfers_;
};

}  // namespace cvl::mpi

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/device_faults.h"
#include "base/launch_watch.h"
#include "base/launched_function.h"
#include "base/letters.h"
#include "base/pool.h"
#include "base/scratch.h"
#include "base/traffic.h"
#include "cvl/backend.h"
#include "executor/current_device.h"
#include "executor/host_blocks.h"
#include "executor/host_schedule.h"

namespace cvl::cuda {

/// Runs each operation before it returns: see executor.h. Without workers, launches run in the calling thread and in
/// ascending order. With workers the executor provokes races: blocks begin in random order on several threads, each of
/// which has one resident block, and loops are split into chunks that run likewise. A result that depends on an order
/// is then wrong in tests, and a thread sanitizer finds the race.
class HostExecutor final : private MemorySource {
 public:
  explicit HostExecutor(std::size_t memory_limit, Concurrency concurrency = {})
      : schedule_(concurrency), pool_(*this, memory_limit), boards_(pool_, *this) {
    next_board(BoardMemory::kAtFirst);
  }
  HostExecutor(const HostExecutor&) = delete;
  HostExecutor& operator=(const HostExecutor&) = delete;

  std::string description() const {
    const Concurrency& c = schedule_.concurrency();
    if (!schedule_.is_random()) return "cvl-cuda on the host, one thread";
    return "cvl-cuda on the host, " + std::to_string(c.workers) + " threads, orders of seed " + std::to_string(c.seed);
  }
  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }
  const Traffic& traffic() const { return traffic_; }
  void count_delivery(std::size_t bytes) { traffic_.bytes_up += bytes; }
  void upload(void* device, const void* host, std::size_t bytes) {
    if (bytes == 0) return;
    ++traffic_.uploads;
    is_settled_ = false;
    traffic_.bytes_up += bytes;
    copy_bytes(device, host, bytes);
  }
  void download(void* host, const void* device, std::size_t bytes) {
    require_device();
    traffic_.bytes_down += bytes;
    ++traffic_.waits;
    is_settled_ = true;
    copy_bytes(host, device, bytes);
  }
  void download(const Transfer* transfers, int n) {
    const Letters letters(transfers, n, next_reply());
    for (int part = 0; part < letters.parts(); ++part) letters.copy(part);
    letters.reply.give();
    read_letters(transfers, n);
    is_settled_ = true;
  }
  Reply next_reply() { return {letters_.data(), &answered_, ++asked_}; }
  void await_reply(const Transfer* transfers, int n) {
    ++traffic_.replies;
    read_letters(transfers, n);
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    launched("that copies on the device");
    copy_bytes(to, from, bytes);
  }
  void fill_zero(void* data, std::size_t bytes) {
    if (bytes == 0) return;
    launched("that clears memory");
    std::memset(data, 0, bytes);
  }

  void wait() {
    if (!std::exchange(is_settled_, true)) ++traffic_.waits;
  }

  /// For tests: the nth launch from now on, n > 0, throws OutOfMemory instead of running, as if no memory were left on
  /// the device to load a kernel; 0 cancels this.
  void refuse_launch(std::int64_t n) { refused_launch_ = n; }
  /// For tests: the nth launch from now on, n > 0, and all later launches fail as on a lost device.
  void lose_launch(std::int64_t n) { launches_left_ = n - 1; }
  void set_sites(Sites sites) { sites_ = sites; }

  Faults faults(std::uint32_t site) { return {&record_, &known_, site}; }
  bool has_fault() const { return known_ != 0; }
  /// Waits, then returns and clears the reported fault.
  FaultRecord take_fault() {
    known_ = 0;
    return std::exchange(record_, {});
  }

  Board next_board(std::int64_t words) {
    return boards_.next(words, [this](void* data, std::size_t bytes) { fill_zero(data, bytes); });
  }
  Ticket ticket() { return {&taken_, taken_}; }
  void launch_function(LaunchedFunction function, std::int64_t blocks, std::span<const std::byte> arguments,
                       bool numbered, const std::string& name) {
    launched(name, blocks);
    const std::uint32_t expected = taken_ + (numbered ? static_cast<std::uint32_t>(blocks) : 0);
    reinterpret_cast<void (*)(const void*, std::int64_t)>(const_cast<void*>(function))(arguments.data(), blocks);
    VC_CHECK(taken_ == expected);
  }

  template <class F>
  void for_each(std::int64_t n, F f) {
    if (n == 0) return;
    launched("of for_each");
    for_each_chunk(
        n, [&](std::int64_t begin, const Order& order) { order.for_each([&](std::int64_t k) { f(begin + k); }); });
  }

  template <class R, class Value, class Store>
  void map(std::int64_t n, Value value, Store store) {
    if (n == 0) return;
    launched("of map");
    if (!schedule_.is_random()) {
      for (std::int64_t e = 0; e < n; ++e) store(e, R(value(e)));
      return;
    }
    // The operands of a chunk are all read before any result is stored, as a thread of a device does with its elements.
    for_each_chunk(n, [&](std::int64_t begin, const Order& order) {
      std::vector<std::pair<std::int64_t, R>> results;
      order.for_each([&](std::int64_t k) { results.emplace_back(begin + k, value(begin + k)); });
      for (const auto& [e, result] : results) store(e, result);
    });
  }

  template <class Shared, int resident = kResident, class Program>
  void tiles(std::int64_t n, Program program) {
    for_each_block<Shared>(n, [&](Block& block, Shared& shared) { program(block, shared); });
  }
  template <class Shared, class Program>
  void wide_block(Program program) {
    tiles<Shared>(1, program);
  }
  template <class Shared, class Program, class Finish>
  void tiles_then(std::int64_t n, Program program, Finish finish) {
    std::atomic<std::int64_t> arrived = 0;
    for_each_block<Shared>(n, [&](Block& block, Shared& shared) {
      program(block, shared);
      if (arrived.fetch_add(1, std::memory_order_acq_rel) == n - 1) finish(block, shared);
    });
  }
  template <class Shared, int resident = kResident, class Program>
  void tiles_in_order(std::int64_t n, std::int64_t words, Program program) {
    if (n == 0) return;
    const Board board = next_board(words);
    std::atomic<std::int64_t> begun = 0;
    for_each_block<Shared>(n, [&](Block& block, Shared& shared) {
      Block ticketed = block.numbered(begun.fetch_add(1, std::memory_order_relaxed));
      program(ticketed, shared, board);
    });
  }

  template <class Key, class Value>
  void sort_pairs(Buffers<Key>& keys, Buffers<Value>& values, std::int64_t n, int bits) {
    launched("of a sort");
    traffic_.launches += sort_operations(bits) - 1;
    const Key mask =
        bits >= static_cast<int>(8 * sizeof(Key)) ? static_cast<Key>(~Key{0}) : static_cast<Key>((Key{1} << bits) - 1);
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    for (std::size_t p = 0; p < order.size(); ++p) order[p] = static_cast<std::int64_t>(p);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return (keys.current[a] & mask) < (keys.current[b] & mask);
    });
    for (std::int64_t p = 0; p < n; ++p) {
      keys.other[p] = keys.current[order[static_cast<std::size_t>(p)]];
      values.other[p] = values.current[order[static_cast<std::size_t>(p)]];
    }
    std::swap(keys.current, keys.other);
    std::swap(values.current, values.other);
  }

 private:
  /// Streams of a device refuse what a thread with another device gives them.
  void require_device() const {
    if (current_device() != device_) throw BackendLost("the CUDA device failed: another one is that of the thread");
  }

  void read_letters(const Transfer* transfers, int n) {
    require_device();
    VC_CHECK(answered_ == asked_);
    ++traffic_.waits;
    for (int k = 0; k < n; ++k) {
      traffic_.bytes_down += transfers[k].bytes;
      copy_bytes(transfers[k].host, letters_.data() + static_cast<std::size_t>(k) * kMostTransferBytes,
                 transfers[k].bytes);
    }
  }

  void launched(const std::string& name, std::int64_t blocks = 0) {
    require_device();
    is_settled_ = false;
    ++traffic_.launches;
    if (launches_left_ && (*launches_left_)-- <= 0)
      throw BackendLost("the CUDA device failed " +
                        (watches_ ? "in " + name_launch(name, blocks, 0, sites_) : "while computing") +
                        ": as planned by a test");
    if (refused_launch_ > 0 && --refused_launch_ == 0) throw OutOfMemory(0);
  }

  template <class Shared, class Program>
  void for_each_block(std::int64_t n, const Program& program) {
    if (n == 0) return;
    launched("of tiles", n);
    const bool is_random = schedule_.is_random();
    const std::uint64_t random = is_random ? schedule_.draw() : 0;
    schedule_.run(n, [&](std::int64_t k) {
      static_assert(std::is_trivial_v<Shared>);
      Shared shared;
      if (is_random) std::memset(&shared, 0xA5, sizeof shared);
      Block block(k, is_random ? std::optional(mixed(random + static_cast<std::uint64_t>(k))) : std::nullopt);
      program(block, shared);
    });
  }

  std::int64_t chunk_size(std::int64_t n) {
    const std::int64_t most = std::max(std::int64_t{300}, n / 64);
    return 1 + static_cast<std::int64_t>(schedule_.draw() % static_cast<std::uint64_t>(most));
  }
  /// Calls f(begin, order of the offsets in the chunk) for each chunk of a loop over n elements.
  template <class F>
  void for_each_chunk(std::int64_t n, const F& f) {
    if (!schedule_.is_random()) return f(0, Order(n));
    const std::int64_t size = chunk_size(n);
    const std::uint64_t random = schedule_.draw();
    schedule_.run((n + size - 1) / size, [&](std::int64_t k) {
      f(k * size, Order(std::min(size, n - k * size), mixed(random + static_cast<std::uint64_t>(k))));
    });
  }

  static void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }

  /// Has blocks of up to twice the limit of the pool, which rounds sizes up.
  void* take(std::size_t bytes) noexcept override {
    // aligned_alloc would fail, in some libraries, for sizes that are no multiple of the alignment.
    void* data = nullptr;
    if (bytes > SIZE_MAX / 2 || bytes / 2 > pool_.use().limit || posix_memalign(&data, 256, bytes) != 0) return nullptr;
    if (schedule_.is_random()) std::memset(data, 0xA5, bytes);  // memory does not begin as zeros on a device either
    return data;
  }
  void give_back(void* data, std::size_t) noexcept override { std::free(data); }
  void settle() noexcept override {}

  const int device_ = current_device();
  HostSchedule schedule_;
  Pool pool_;
  BoardMemory boards_;
  Traffic traffic_;
  std::int64_t refused_launch_ = 0;
  std::optional<std::int64_t> launches_left_;  ///< see lose_launch()
  const bool watches_ = watches_launches_from_environment();
  bool is_settled_ = true;  ///< whether nothing was issued since a wait for everything
  Sites sites_;
  std::uint32_t taken_ = 0;  ///< the counter of tickets
  FaultRecord record_;
  std::uint32_t known_ = 0;
  alignas(16) std::array<unsigned char, kMostTransfers * kMostTransferBytes> letters_;
  std::uint64_t asked_ = 0, answered_ = 0;  ///< numbers of the last reply that was wanted, and of the last one given
};

}  // namespace cvl::cuda

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace cvl::mpi {

/// Bytes that one rank sends to another one.
struct Outgoing {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// Room for the bytes that one rank receives from another one.
struct Incoming {
  void* data = nullptr;
  std::size_t bytes = 0;
};

enum class Reduction : std::uint8_t { kSum, kMax };

/// The messages that a rank has sent.
struct MessageCounts {
  std::int64_t rounds = 0;       ///< calls in which ranks waited for each other
  std::int64_t collectives = 0;  ///< those of them that are no exchanges of pairs of ranks
  std::int64_t messages = 0;     ///< messages of exchanges to other ranks
  std::int64_t bytes = 0;        ///< sent to other ranks; bytes that a rank gives to all count once for each of them
  double seconds = 0;            ///< in rounds, waiting for other ranks included

  MessageCounts& operator+=(const MessageCounts& other);
  MessageCounts operator-(const MessageCounts& earlier) const;
};

/// Messages between the ranks of a job: the only way in which ranks communicate. All functions but rank(), ranks(),
/// description(), fail() and counts() are collective: every rank calls the same ones in the same order. Numbers of
/// bytes have 64 bits. A function throws BackendLost if another rank has failed, or if messages are lost.
class Messenger {
 public:
  virtual ~Messenger() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// The engine below, for --version: "Open MPI 4.1.4".
  virtual std::string description() const = 0;

  /// Sends outgoing[r] to rank r and fills incoming[r] by rank r, for each r, this rank included. Both sides give the
  /// same number of bytes. Several messages for each rank go at once: message number k to rank r is number
  /// k * ranks() + r.
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming);
  /// Fills `all` with the bytes of each rank, in the order of ranks. `bytes` has a size for each rank; this rank's
  /// bytes are at `mine`, which may be their place in `all`.
  void gather_to_all(const void* mine, std::span<const std::size_t> bytes, void* all);
  /// Replaces each number by its sum or maximum over all ranks.
  void reduce(std::span<std::int64_t> numbers, Reduction reduction);
  /// Replaces the bytes at `data` by those of rank `root`.
  void broadcast(void* data, std::size_t bytes, int root);

  /// A value of each rank, in the order of ranks.
  template <class T>
  std::vector<T> gather_to_all(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(ranks()));
    const std::vector<std::size_t> sizes(all.size(), sizeof(T));
    gather_to_all(&mine, sizes, all.data());
    return all;
  }
  /// counts[r] for each rank r from each rank; the result has the number that rank r gave for this rank. A collective,
  /// which takes fewer messages than one to each rank. Several numbers for each rank follow one another.
  std::vector<std::int64_t> exchange_counts(const std::vector<std::int64_t>& counts);

  /// Throws BackendLost because this rank cannot go on, such as for lack of memory. The others wait for it until its
  /// process ends the job (RankJob::fail()), with the place in the program where it was.
  [[noreturn]] virtual void fail(const std::string& message) const = 0;

  const MessageCounts& counts() const { return counts_; }

 protected:
  virtual void do_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) = 0;
  virtual void do_exchange_counts(std::span<const std::int64_t> counts, std::span<std::int64_t> received) = 0;
  virtual void do_gather_to_all(const void* mine, std::span<const std::size_t> bytes, void* all) = 0;
  virtual void do_reduce(std::span<std::int64_t> numbers, Reduction reduction) = 0;
  virtual void do_broadcast(void* data, std::size_t bytes, int root) = 0;

 private:
  class Round;
  MessageCounts counts_;
};

}  // namespace cvl::mpi

// Calls in pieces on several devices, whose memories are apart: each device runs consecutive pieces, on a thread of its
// own; operands and results are copied through the host.

#include <algorithm>
#include <limits>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "machine/machine.h"

namespace interp {

namespace {

/// Fewest bytes of operands for a device: with fewer, copies would take longer than the work that they save.
constexpr std::int64_t kFewestBytes = std::int64_t{1} << 20;
/// A call runs as a whole if a device would have more than kMostOfShare times its share of the operands: the calls
/// inside have smaller elements, which can be shared out.
constexpr double kMostOfShare = 1.25;

/// The threads of the other devices; the destructor waits for them.
class DeviceThreads {
 public:
  DeviceThreads() = default;
  ~DeviceThreads() {
    for (std::thread& thread : threads_) thread.join();
  }
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;

  /// False if the system has no more threads.
  template <class Work>
  bool start(Work work) {
    try {
      threads_.emplace_back(std::move(work));
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

 private:
  std::vector<std::thread> threads_;
};

/// Tells the device in the message about its loss.
void name_lost_device(PieceOutcome& piece, int number) {
  try {
    if (piece.error != nullptr) std::rethrow_exception(piece.error);
  } catch (const cvl::BackendLost& lost) {
    piece.error = std::make_exception_ptr(cvl::BackendLost(fmt::format("device {}: {}", number, lost.what())));
  } catch (...) {
    return;
  }
}

}  // namespace

/// Whether the call of a function is cut so that each device has one piece.
bool Machine::is_for_devices(std::uint32_t function, const runtime::DividedCall& cut) const {
  if (!has_devices() || options_.piece_bytes || !device_workers_->shares_out(function)) return false;
  const std::int64_t share = cut.bytes_before(cut.elements()) / static_cast<std::int64_t>(device_workers_->devices());
  return share >= kFewestBytes && static_cast<double>(share) <= size_of_pieces(function);
}

/// The pieces of a call, one for each device, with about as many bytes of operands. Empty if the elements are too large
/// for that.
std::vector<PieceOutcome> Machine::share_out(const runtime::DividedCall& cut) const {
  const auto devices = static_cast<std::int64_t>(device_workers_->devices());
  const std::int64_t all = cut.bytes_before(cut.elements());
  std::vector<PieceOutcome> pieces;
  std::int64_t begin = 0;
  for (std::int64_t device = 1; device <= devices && begin < cut.elements(); ++device) {
    const std::int64_t share = all / devices * device - cut.bytes_before(begin);
    const std::int64_t end = device == devices ? cut.elements() : cut.end_of_piece(begin, share);
    pieces.push_back({.begin = begin, .end = end});
    const auto bytes = static_cast<double>(cut.bytes_before(end) - cut.bytes_before(begin));
    if (bytes > kMostOfShare * static_cast<double>(all) / static_cast<double>(devices)) return {};
    begin = end;
  }
  return pieces;
}

/// Runs pieces that follow one another. Each device gets those that begin in its share of the operands; this thread
/// runs those of the first device, and those of devices without memory.
void Machine::run_on_devices(const CallInPieces& call, std::vector<PieceOutcome>& pieces) {
  const runtime::DividedCall& cut = call.cut;
  const std::size_t devices = device_workers_->devices();
  const auto first = static_cast<double>(cut.bytes_before(pieces.front().begin));
  const double all = static_cast<double>(cut.bytes_before(pieces.back().end)) - first;
  const auto device_of = [&](const PieceOutcome& piece) {
    const double share = all > 0 ? (static_cast<double>(cut.bytes_before(piece.begin)) - first) / all : 0;
    return std::min(static_cast<std::size_t>(share * static_cast<double>(devices) + 0.5), devices - 1);
  };
  std::atomic<std::int64_t> first_failure = std::numeric_limits<std::int64_t>::max();
  const auto run_some = [&](const PieceEngine& engine, const std::vector<std::size_t>& numbers) {
    for (const std::size_t k : numbers) {
      PieceOutcome& piece = pieces[k];
      const auto number = static_cast<std::int64_t>(k);
      if (first_failure < number) break;
      const PieceOf location{this, call.first_instance + cut.instances_before(piece.begin), is_large(call, piece),
                             number, &first_failure};
      run_piece(call, engine, location, piece);
      if (piece.error == nullptr || piece.out_of_memory) continue;
      std::int64_t least = first_failure;
      while (number < least && !first_failure.compare_exchange_weak(least, number)) continue;
    }
  };

  std::vector<std::vector<std::size_t>> numbers(devices);
  for (std::size_t k = 0; k < pieces.size(); ++k) numbers[device_of(pieces[k])].push_back(k);
  std::vector<std::size_t>& here = numbers[0];
  const bool can_copy = cut.copy_to_host();
  if (!evaluator_.is_sound()) fail_operation();
  DeviceThreads threads;  // declared last, as the threads refer to the variables above
  for (std::size_t device = 1; device < devices; ++device) {
    std::vector<std::size_t>& own = numbers[device];
    Worker* const worker = can_copy && !own.empty() ? device_workers_->worker(device - 1) : nullptr;
    const int number = options_.other_devices[device - 1].number;
    const auto run_there = [&, worker, number, &own = own] {
      run_some({worker->linked, *worker->evaluator, worker->options, nullptr, stack_limit_ / devices}, own);
      for (const std::size_t k : own) name_lost_device(pieces[k], number);
    };
    if (worker == nullptr || !threads.start(run_there)) here.insert(here.end(), own.begin(), own.end());
  }
  run_some(own_engine(), here);
}

}  // namespace interp

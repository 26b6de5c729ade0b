// Ranks with a device each, the host executor of cvl-cuda: what they copy between host and device.

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cvl/loader.h"
#include "mpi_backend.h"
#include "rank_threads.h"

namespace cvl::mpi {
namespace {

constexpr std::int64_t kLength = 1 << 12, kPart = kLength / 2;

std::unique_ptr<Backend> load(const std::string& library) {
  std::string error;
  std::unique_ptr<Backend> backend = load_backend(library, {CVL_LIBRARY_FOLDER}, {.threads = 1}, error);
  EXPECT_NE(backend, nullptr) << error;
  return backend;
}

/// A vector in the memory of a rank.
template <class T>
class Vector {
 public:
  Vector(Backend& backend, std::int64_t length)
      : backend_(backend),
        bytes_(static_cast<std::size_t>(length) * sizeof(T)),
        result_{vcode::kElemTypeOf<T>, length, backend.allocate(bytes_)} {}
  Vector(Backend& backend, const std::vector<T>& elements) : Vector(backend, std::ssize(elements)) {
    backend.upload(result_.data, elements.data(), bytes_);
  }
  ~Vector() { backend_.deallocate(result_.data, bytes_); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  const Result& result() const { return result_; }
  Operand operand() const { return {result_.type, result_.length, result_.data}; }
  std::vector<T> read() const {
    std::vector<T> elements(static_cast<std::size_t>(result_.length));
    backend_.download(elements.data(), result_.data, bytes_);
    return elements;
  }

 private:
  Backend& backend_;
  const std::size_t bytes_;
  const Result result_;
};

/// Calls body(backend, copies) on two ranks; copies() is the line of the profile about copies between host and device.
template <class Body>
void run_ranks_with_devices(Body&& body) {
  ThreadRanks team(2);
  std::vector<std::thread> threads;
  for (int r = 0; r < 2; ++r)
    threads.emplace_back([&, r] {
      const auto backend = make_mpi_backend(load("cuda-host"), team.messenger(r),
                                            {.block = 64, .memory_limit = std::size_t{1} << 30}, load("cpu"));
      body(*backend, [&] {
        const std::string traffic = backend->traffic();
        return traffic.substr(traffic.find("most copies"));
      });
    });
  for (std::thread& thread : threads) thread.join();
}

std::string line(int uploads, std::int64_t uploaded_bytes, int downloads, std::int64_t downloaded_bytes) {
  return fmt::format("most copies of a rank: {} to its device, of {} bytes, {} to the host, of {} bytes\n", uploads,
                     uploaded_bytes, downloads, downloaded_bytes);
}

std::vector<std::int64_t> numbers(std::int64_t length) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(length));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(RanksWithDevices, CopyTheirPartsOnce) {
  run_ranks_with_devices([](Backend& backend, const auto& copies) {
    const Vector<std::int64_t> a(backend, numbers(kLength));
    const Vector<std::int64_t> b(backend, kLength);
    const Operand operands[] = {a.operand(), a.operand()}, more[] = {b.operand(), a.operand()};
    backend.run(Elementwise{Op::kAdd, operands, b.result()});
    backend.run(Elementwise{Op::kMultiply, more, b.result()});
    EXPECT_EQ(copies(), line(1, 8 * kPart, 0, 0));
    EXPECT_EQ(b.read()[4000], 2 * 4000 * 4000);
    EXPECT_EQ(copies(), line(1, 8 * kPart, 1, 8 * kPart));
  });
}

TEST(RanksWithDevices, AScanKeepsItsOperandOnTheDevice) {
  run_ranks_with_devices([](Backend& backend, const auto& copies) {
    const Vector<std::int64_t> a(backend, numbers(kLength));
    const Vector<std::int64_t> sums(backend, kLength), sums_of_sums(backend, kLength);
    const SegmentDescriptor single = SegmentDescriptor::single(kLength);
    backend.run(Scan{Monoid::kSum, a.operand(), single, sums.result()});
    // Rank 1 uploads its carry with its part, behind 56 bytes. Rank 0 gives the fold of its part.
    EXPECT_EQ(copies(), line(1, 8 * kPart + 64, 1, 8));
    backend.run(Scan{Monoid::kSum, sums.operand(), single, sums_of_sums.result()});
    // The second carry is all that is uploaded.
    EXPECT_EQ(copies(), line(2, 8 * kPart + 128, 2, 16));
    EXPECT_EQ(sums.read()[3000], 3000 * 2999 / 2);
    EXPECT_EQ(sums_of_sums.read()[4], 0 + 0 + 1 + 3);
    EXPECT_EQ(copies(), line(2, 8 * kPart + 128, 4, 16 * kPart + 16));
  });
}

TEST(RanksWithDevices, APackCopiesWhatMoves) {
  run_ranks_with_devices([](Backend& backend, const auto& copies) {
    const Vector<std::int64_t> a(backend, numbers(kLength));
    // All of the first quarter, and half of the rest.
    std::vector<std::uint8_t> flags(kLength);
    for (std::size_t e = 0; e < flags.size(); ++e) flags[e] = e < kLength / 4 || e % 2 == 0 ? 1 : 0;
    constexpr std::int64_t kKept = kLength / 4 + kLength * 3 / 8, kOfRankZero = kLength / 4 + kLength / 8;
    const Vector<std::int64_t> packed(backend, kKept), lengths(backend, 1), doubled(backend, kKept);
    void* const data = backend.allocate(kLength);
    backend.upload(data, flags.data(), kLength);
    const Operand of_flags{ElemType::kB8, kLength, data};
    const auto plan = backend.plan_pack(of_flags, SegmentDescriptor::single(kLength), lengths.result());
    ASSERT_EQ(plan->kept, kKept);
    backend.run(Pack{*plan, a.operand(), of_flags, packed.result()});
    const Operand operands[] = {packed.operand(), packed.operand()};
    backend.run(Elementwise{Op::kAdd, operands, doubled.result()});
    // Rank 0 sends the elements behind its part of the result, a multiple of 64; both have told how many they keep.
    constexpr std::int64_t kMoved = kOfRankZero - kKept / 2;
    EXPECT_EQ(copies(), line(3, 9 * kPart + 8 * kMoved, 2, 8 + 8 * kMoved));
    EXPECT_EQ(doubled.read()[kKept - 1], 2 * (kLength - 2));
    backend.deallocate(data, kLength);
  });
}

}  // namespace
}  // namespace cvl::mpi

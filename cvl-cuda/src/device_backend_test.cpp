#include "device_backend.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

// How often the device is launched and waited for. That results are right is shown by the conformance suite.

namespace cvl::cuda {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;

/// A vector in the memory of a backend.
template <class T>
class Vector {
 public:
  Vector(Backend& backend, const std::vector<T>& elements) : Vector(backend, elements.size()) {
    backend.upload(data_, elements.data(), elements.size() * sizeof(T));
  }
  Vector(Backend& backend, std::size_t n) : backend_(backend), n_(n), data_(backend.allocate(n * sizeof(T))) {}
  ~Vector() { backend_.deallocate(data_, n_ * sizeof(T)); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  operator Operand() const { return {vcode::kElemTypeOf<T>, static_cast<std::int64_t>(n_), data_}; }
  operator Result() const { return {vcode::kElemTypeOf<T>, static_cast<std::int64_t>(n_), data_}; }
  const void* data() const { return data_; }
  T first() const {
    T x;
    backend_.download(&x, data_, sizeof x);
    return x;
  }

 private:
  Backend& backend_;
  std::size_t n_;
  void* data_;
};

struct BackendTest : testing::Test {
  DeviceBackend backend{kMemory};

  std::uint64_t launches() const { return backend.counters().launches; }
  std::uint64_t waits() const { return backend.counters().waits; }
  /// The launches of an operation.
  template <class F>
  std::uint64_t launches_of(F&& operation) {
    const std::uint64_t before = launches();
    operation();
    EXPECT_FALSE(backend.has_fault());
    return launches() - before;
  }
};

std::vector<int> iota(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

TEST_F(BackendTest, ShortOperationsAreOneLaunch) {
  constexpr int n = 1000;
  const std::int64_t lengths[] = {0, 3, 0, 900, 97};
  std::vector<std::int64_t> starts{0};
  for (const std::int64_t length : lengths) starts.push_back(starts.back() + length);
  const Vector<std::int64_t> offsets(backend, starts);
  const Vector<std::int64_t> heads(backend, static_cast<std::size_t>(head_words(n)));
  const Vector<int> nonempty(backend, 5);
  SegmentMap irregular{5, n, -1, static_cast<const std::int64_t*>(offsets.data())};
  EXPECT_EQ(launches_of([&] { backend.make_segment_heads(irregular, heads, nonempty); }), 1u);
  irregular.heads = static_cast<const SegmentHeads*>(heads.data());
  irregular.nonempty = static_cast<const std::int32_t*>(nonempty.data());
  const SegmentMap single = SegmentMap::single(n), regular{100, n, 10};
  const Vector<int> a(backend, iota(n)), r(backend, n), one(backend, 1), five(backend, 5), hundred(backend, 100);
  const Operand operands[] = {a, a};
  EXPECT_EQ(launches_of([&] { backend.elementwise(Op::kAdd, operands, r); }), 1u);
  EXPECT_EQ(launches_of([&] {
              backend.random(a, {}, r);
              (void)backend.take_fault();
            }),
            1u);
  for (const SegmentMap& map : {single, regular, irregular})
    EXPECT_EQ(launches_of([&] { backend.scan(Monoid::kSum, a, map, r); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.reduce(Monoid::kSum, a, single, one); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.reduce(Monoid::kSum, a, regular, hundred); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.reduce(Monoid::kSum, a, irregular, five); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.gather({a, a, nullptr, single, single}, r); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.scatter({a, a, nullptr, nullptr, single, single}, r); }), 1u);
  const Operand defaults = a;
  EXPECT_EQ(launches_of([&] { backend.scatter({a, a, nullptr, &defaults, single, single}, r); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.dist(five, irregular, r); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.index(hundred, hundred, regular, r); }), 1u);
  const int place = 7;
  const Operand scalar{ElemType::kI32, 1, &place, true};
  EXPECT_EQ(launches_of([&] { backend.extract(a, scalar, single, one); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.replace(a, scalar, scalar, single, r); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.make_offsets(five, Vector<std::int64_t>(backend, 6)); }), 1u);
}

TEST_F(BackendTest, ResultsThatWaitAreReadTogether) {
  const Vector<int> a(backend, iota(1000)), sum(backend, 1), largest(backend, 1), smallest(backend, 1);
  const SegmentMap single = SegmentMap::single(1000);
  backend.reduce(Monoid::kSum, a, single, sum);
  backend.reduce(Monoid::kMax, a, single, largest);
  const std::uint64_t before = waits();
  EXPECT_EQ(sum.first(), 499500);
  EXPECT_EQ(largest.first(), 999);
  EXPECT_EQ(sum.first(), 499500);
  EXPECT_EQ(waits() - before, 1u);
  // Written again, it must be read again.
  backend.reduce(Monoid::kMin, a, single, largest);
  backend.reduce(Monoid::kMin, a, single, smallest);
  EXPECT_EQ(largest.first(), 0);
  EXPECT_EQ(smallest.first(), 0);
  EXPECT_EQ(waits() - before, 2u);
}

TEST_F(BackendTest, MemoryGivenBackIsNotRemembered) {
  const Vector<int> a(backend, iota(1000));
  const void* address = nullptr;
  {
    const Vector<int> sum(backend, 1);
    address = sum.data();
    backend.reduce(Monoid::kSum, a, SegmentMap::single(1000), sum);
    EXPECT_EQ(sum.first(), 499500);
  }
  const Vector<int> other(backend, std::vector<int>{17});
  EXPECT_EQ(other.data(), address);
  EXPECT_EQ(other.first(), 17);
}

TEST_F(BackendTest, SteadyStateTakesNoMemory) {
  const Vector<int> a(backend, iota(100000));
  const SegmentMap map{10000, 100000, 10};
  auto work = [&] {
    const Vector<int> ranks(backend, 100000), sums(backend, 10000);
    backend.rank(false, a, map, ranks);
    backend.reduce(Monoid::kSum, a, map, sums);
  };
  work();
  const std::size_t held = backend.memory_use().held;
  for (int k = 0; k < 5; ++k) work();
  EXPECT_EQ(backend.memory_use().held, held);
}

TEST_F(BackendTest, RunningOutOfMemoryIsAFaultOfTheOperation) {
  DeviceBackend small(std::size_t{1} << 20);
  const Vector<int> a(small, iota(100000)), r(small, 100000);
  small.set_site(5);
  small.rank(false, a, SegmentMap::single(100000), r);
  EXPECT_TRUE(small.has_fault());
  const Fault fault = small.take_fault();
  EXPECT_EQ(fault.kind, FaultKind::kOutOfMemory);
  EXPECT_EQ(fault.site, 5u);
  EXPECT_GT(fault.value, 0);
  EXPECT_FALSE(small.has_fault());
}

}  // namespace
}  // namespace cvl::cuda

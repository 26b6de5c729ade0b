// Kernels over numbers of elements that fill no whole number of lanes or tiles, and differ from run to run: what the
// lanes behind the end would compute is at fault, which no report may tell of.

#include <gtest/gtest.h>

#include <functional>

#include <fmt/format.h>

#include "interpreter_testing.h"
#include "oracle.h"

namespace interp {
namespace {

using testing::Outcome;

std::string list(int n, const std::function<int(int)>& number) {
  std::string numbers = "(";
  for (int k = 0; k < n; ++k) numbers += fmt::format("{}{}", k > 0 ? " " : "", number(k));
  return numbers + ")";
}

/// A program with one kernel, which is run for these numbers of elements, one after the other.
std::string program(const std::string& kernel, const std::vector<int>& lengths,
                    const std::function<std::string(int)>& operands) {
  std::string text = "FCODE 1\nKERNEL 0 " + kernel + "RET\nFUNC MAIN\n";
  for (const int n : lengths) text += operands(n) + "FUSED 0\n";
  return text + "RET\n";
}

class KernelLanes : public ::testing::TestWithParam<const char*> {
 protected:
  /// Expects what the steps of the kernels do on the oracle: no fault, and their results.
  static void expect_as_steps(const std::string& text) {
    const auto oracle = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
    const Outcome expected = testing::run_text(text, *oracle);
    ASSERT_EQ(expected.status, 0) << expected.errors;
    for (const int threads : {1, 3}) {
      std::string error;
      const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(),
                                                        {.threads = threads, .native = GetParam()}, error);
      if (backend == nullptr) GTEST_SKIP() << error;
      const Outcome found = testing::run_text(text, *backend);
      ASSERT_EQ(found.status, 0) << found.errors;
      EXPECT_EQ(found.out, expected.out);
    }
  }
};

std::vector<int> around_lanes_and_tiles() {
  std::vector<int> lengths;
  for (int n = 1; n <= 70; ++n) lengths.push_back(n);
  lengths.insert(lengths.end(), {127, 129, 511, 513, 2047, 2049, 4099});
  return lengths;
}

std::string operand(const std::string& numbers) { return "CONST INT " + numbers + "\n"; }
std::string segment(int n) { return fmt::format("CONST SEGDES {}\n", n); }

TEST_P(KernelLanes, NothingIsDividedBehindTheEnd) {
  // An element that is not there is 0, from which 7 is taken and by which 100 is divided.
  expect_as_steps(
      program("quotients (a INT k INT s SEGDES) OVER s\n"
              "d = DIST INT k s\nq = / INT a d\nb = - INT a d\nr = % d a\nt = / INT d b\nOUT q r t\n",
              around_lanes_and_tiles(),
              [](int n) { return operand(list(n, [](int k) { return 8 + k % 5; })) + operand("7") + segment(n); }));
}

TEST_P(KernelLanes, NothingIsGatheredBehindTheEnd) {
  // Indices are 3 to 7 more than places of the table; without them they are below 0.
  expect_as_steps(
      program("gathers (t INT i INT k INT u SEGDES s SEGDES) OVER s\n"
              "d = DIST INT k s\nj = - INT i d\ng = BPERMUTE INT t j u s\nOUT g\n",
              around_lanes_and_tiles(), [](int n) {
                return operand("(10 11 12 13 14)") + operand(list(n, [](int k) { return 3 + k % 5; })) + operand("3") +
                       segment(5) + segment(n);
              }));
}

TEST_P(KernelLanes, LengthsAreThoseOfTheRun) {
  expect_as_steps(
      program("sums (a INT k INT t INT u SEGDES s SEGDES) OVER s\n"
              "d = DIST INT k s\nb = + INT a d\ng = BPERMUTE INT t b u s\nm = +_REDUCE INT g s\n"
              "f = > INT b d\nc c_s = PACK INT g f s\nOUT b m c c_s\n",
              {5, 5, 1, 1, 5, 100, 100, 0, 0, 100, 7}, [](int n) {
                return operand(list(n, [](int k) { return k % 3; })) + operand("1") +
                       operand(list(4 + n % 3, [&](int k) { return n + k; })) + segment(4 + n % 3) + segment(n);
              }));
}

TEST_P(KernelLanes, NothingIsScatteredBehindTheEnd) {
  expect_as_steps(
      program("scatters (a INT i INT k INT s SEGDES) OVER s\n"
              "d = DIST INT k s\nj = - INT i d\nb = * INT a a\np = PERMUTE INT b j s\nOUT p\n",
              around_lanes_and_tiles(), [](int n) {
                return operand(list(n, [](int k) { return k % 9; })) +
                       operand(list(n, [&](int k) { return n - 1 - k + 3; })) + operand("3") + segment(n);
              }));
}

TEST_P(KernelLanes, NothingIsDividedBehindTheEndOfASegment) {
  // Segment k has k % 41 elements, all k; its divisors are -1, but those of the elements of the next one would be 0.
  expect_as_steps(
      program("sums (a INT k INT s SEGDES) OVER s\n"
              "d = DIST INT k s\nb = - INT a d\nq = / INT d b\nm = +_REDUCE INT q s\ne = +_SCAN INT q s\nOUT m e\n",
              {1, 2, 3, 17, 100}, [](int segments) {
                std::string elements = "(";
                for (int k = 0; k < segments; ++k)
                  for (int e = 0; e < k % 41; ++e) elements += fmt::format(" {}", k);
                return operand(elements + ")") + operand(list(segments, [](int k) { return k + 1; })) +
                       operand(list(segments, [](int k) { return k % 41; })) + "MAKE_SEGDES\n";
              }));
}

TEST_P(KernelLanes, NothingIsDividedInSegmentsThatHaveEnded) {
  // Short segments of different lengths are folded side by side, an element of each at a time.
  expect_as_steps(
      program("extremes (n INT first INT stride INT s SEGDES) OVER s\n"
              "d = DIST INT n s\ni = INDEX first stride s\nr = % i d\nb = - INT d i\nq = / INT d b\n"
              "least = MIN_INDEX INT r s\nmost = MAX_INDEX INT q s\nOUT least most\n",
              {300, 2000}, [](int segments) {
                // Index and length differ in each segment, but would agree behind its end.
                const std::string lengths = list(segments, [](int k) { return 1 + k % 30; });
                return operand(lengths) + operand(list(segments, [](int) { return 0; })) +
                       operand(list(segments, [](int) { return 1; })) + operand(lengths) + "MAKE_SEGDES\n";
              }));
}

INSTANTIATE_TEST_SUITE_P(, KernelLanes, ::testing::Values("off", "always"));

}  // namespace
}  // namespace interp

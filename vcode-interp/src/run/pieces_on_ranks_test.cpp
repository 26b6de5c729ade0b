// Calls in pieces on the ranks of a job, which are threads of this process: results, faults and messages.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include <fmt/format.h>

#include "interpreter_testing.h"
#include "thread_job.h"
#include "vcode-interp/profile.h"

namespace interp {
namespace {

using testing::Outcome;

/// A run of a program on several ranks.
struct JobOutcome {
  Outcome of_rank_zero;
  std::vector<int> statuses;     ///< of each rank
  std::deque<Profile> profiles;  ///< of each rank
  std::string traffic;           ///< the table of messages
};

struct JobOptions {
  int ranks = 3;
  std::int64_t block = 4;
  std::size_t memory = 0;
  int threads = 1;
  std::string library = "cpu";
};

JobOutcome run_on_ranks(const std::string& text, const JobOptions& job_options, const RunOptions& options) {
  cvl::conformance::ThreadJob job(job_options.ranks, job_options.block);
  const auto ranks = static_cast<std::size_t>(job_options.ranks);
  JobOutcome outcome{{}, std::vector<int>(ranks), {}, ""};
  for (std::size_t rank = 0; rank < ranks; ++rank) outcome.profiles.emplace_back(false);
  job.run([&](int r) {
    const auto rank = static_cast<std::size_t>(r);
    std::string error;
    const std::unique_ptr<cvl::Backend> backend = job.rank(r).make_backend(
        job_options.library, {}, {.threads = job_options.threads, .memory_limit = job_options.memory}, error);
    ASSERT_TRUE(backend) << error;
    RunOptions of_rank = options;
    of_rank.job = &job.rank(r);
    of_rank.profile = &outcome.profiles[rank];
    const Outcome found = testing::run_text(text, *backend, of_rank);
    outcome.statuses[rank] = found.status;
    const std::string traffic = found.status == 0 ? backend->traffic() : "";
    if (rank != 0) return;
    outcome.of_rank_zero = found;
    outcome.traffic = traffic;
  });
  return outcome;
}

Outcome run_alone(const std::string& text, const RunOptions& options, std::size_t memory = 0) {
  std::string error;
  const cvl::BackendPtr backend =
      cvl::load_backend("cpu", cvl::default_backend_directories(), {.threads = 1, .memory_limit = memory}, error);
  EXPECT_TRUE(backend) << error;
  return testing::run_text(text, *backend, options);
}

/// Checks that ranks print what one process prints, messages about faults included.
void expect_as_alone(const std::string& text) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{200}, std::size_t{5000}, RunOptions::kPieceBytes}) {
    RunOptions options;
    options.piece_bytes = bytes;
    options.shortest_floats = true;
    const Outcome alone = run_alone(text, options);
    for (const int ranks : {1, 2, 3, 5}) {
      const JobOutcome found = run_on_ranks(text, {.ranks = ranks, .threads = ranks == 2 ? 3 : 1}, options);
      EXPECT_EQ(found.of_rank_zero.out, alone.out) << ranks << " ranks, pieces of " << bytes << " bytes";
      EXPECT_EQ(found.of_rank_zero.errors, alone.errors) << ranks << " ranks, pieces of " << bytes << " bytes";
      EXPECT_EQ(found.statuses, std::vector<int>(static_cast<std::size_t>(ranks), alone.status));
    }
    // With a device each, which reports faults when the host waits for it. Sums of floats have the bits of the host.
    const JobOutcome found = run_on_ranks(text, {.ranks = 3, .library = "cuda-host"}, options);
    EXPECT_EQ(found.of_rank_zero.out, alone.out) << "devices, pieces of " << bytes << " bytes";
    EXPECT_EQ(found.statuses, std::vector<int>(3, alone.status));
  }
}

/// "(first ... )": so many numbers, each by `number`.
template <class F>
std::string list(int count, F&& number) {
  std::string numbers = "(";
  for (int k = 0; k < count; ++k) numbers += fmt::format("{} ", number(k));
  return numbers + ")";
}

/// A program that computes, for each number x, x squared and x copies of it.
std::string squares(const std::string& numbers, const std::string& calls = "CALL f") {
  return "FCODE 1\nFUNC MAIN CONST INT " + numbers + " " + calls +
         " RET\nFUNC f PIECES EACH\n"
         "COPY 1 0 COPY 1 0 * INT CPOP 1 1 COPY 1 0 MAKE_SEGDES CPOP 1 1 COPY 1 1 DIST INT RET\n";
}

TEST(PiecesOnRanks, ResultsAreThoseOfOneProcess) {
  for (const int count : {1, 2, 3, 17, 500}) expect_as_alone(squares(list(count, [](int k) { return k % 7; })));
  // One of the elements makes most of the result, at the beginning, in the middle and at the end.
  for (const int large : {0, 100, 299})
    expect_as_alone(squares(list(300, [&](int k) { return k == large ? 20000 : k % 3; })));
}

TEST(PiecesOnRanks, SumsOfFloatsHaveTheSameBits) {
  // The sum of the square roots of each segment's elements, of which the third one is most of them.
  const auto length = [](int k) { return k == 2 ? 9000 : k * 7919 % 170; };
  const std::string begin = "FCODE 1\nFUNC MAIN CONST INT " + list(200, length) +
                            " MAKE_SEGDES CONST INT 1 CONST INT 3 COPY 1 2 ELEMENTS MAKE_SEGDES INDEX I_TO_F SQRT ";
  expect_as_alone(begin + "CALL f RET\nFUNC f PIECES EACH EACH 0\nCPOP 1 1 +_REDUCE FLOAT RET\n");
  // The scans of the segments, and the segments; each element is divided by a shared number.
  expect_as_alone(begin +
                  "CONST FLOAT 7.0 CALL f RET\nFUNC f PIECES EACH EACH 0 SHARED\n"
                  "COPY 1 2 ELEMENTS MAKE_SEGDES DIST FLOAT / FLOAT COPY 1 1 +_SCAN FLOAT RET\n");
}

TEST(PiecesOnRanks, SharedVectorsAndDescriptorsAreWholeOnEveryRank) {
  // Adds the sum of a table's segments to each number.
  expect_as_alone("FCODE 1\nFUNC MAIN CONST INT " + list(400, [](int k) { return k * 31; }) + " CONST INT " +
                  list(246, [](int k) { return k * k; }) + " CONST INT " + list(30, [](int k) { return k % 21; }) +
                  " MAKE_SEGDES CALL f RET\nFUNC f PIECES EACH SHARED SHARED\n"
                  "+_REDUCE INT COPY 1 0 LENGTH INT MAKE_SEGDES +_REDUCE INT\n"
                  "COPY 1 1 LENGTH INT MAKE_SEGDES DIST INT + INT RET\n");
}

TEST(PiecesOnRanks, TheFaultOfTheFirstPieceIsReportedOnce) {
  const auto divides = [](std::vector<int> zeros) {
    return "FCODE 1\nFUNC MAIN CONST INT " +
           list(900, [&](int k) { return std::ranges::find(zeros, k) == zeros.end() ? 1 + k % 5 : 0; }) +
           " CALL f RET\nFUNC f PIECES EACH\nCOPY 1 0 COPY 1 0 * INT COPY 1 0 CPOP 1 2 / INT RET\n";
  };
  expect_as_alone(divides({0}));         // found by samples
  expect_as_alone(divides({899}));       // by one rank only
  expect_as_alone(divides({501, 857}));  // by two ranks
}

TEST(PiecesOnRanks, ResultsOfDifferentKindsAreRefused) {
  // f returns a vector if there is a 1, else a descriptor.
  expect_as_alone("FCODE 1\nFUNC MAIN CONST INT " + list(40, [](int k) { return k == 0 ? 1 : 2; }) +
                  " CALL f RET\nFUNC f PIECES EACH\nCOPY 1 0 COPY 1 0 LENGTH INT MAKE_SEGDES MIN_REDUCE INT\n"
                  "CONST INT 1 = INT IF ELSE MAKE_SEGDES ENDIF RET\n");
}

/// The sum of x ones for each of `elements` numbers x.
std::string sums_of_ones(const std::string& numbers, const std::string& calls) {
  return "FCODE 1\nFUNC MAIN\n" + numbers + " " + calls +
         " RET\nFUNC f PIECES EACH\nMAKE_SEGDES CONST INT 1 COPY 1 1 ELEMENTS MAKE_SEGDES DIST INT CPOP 1 1 "
         "+_REDUCE INT RET\n";
}

TEST(PiecesOnRanks, PiecesThatDoNotFitIntoMemoryAreMadeSmaller) {
  // 256 MB as a whole, 4 MB for one element.
  const std::string text = sums_of_ones("CONST INT 1000000 CONST SEGDES 64 DIST INT", "CALL f");
  const JobOutcome found = run_on_ranks(text, {.ranks = 2, .memory = 64 << 20}, {});
  EXPECT_EQ(found.of_rank_zero.status, 0) << found.of_rank_zero.errors;
  EXPECT_EQ(found.of_rank_zero.out, run_alone(text, {}).out);
  EXPECT_EQ(run_on_ranks(text, {.ranks = 2, .memory = 2 << 20}, {}).statuses, std::vector({1, 1}));
}

TEST(PiecesOnRanks, ALimitOfCallsIsThatOfOneProcess) {
  RunOptions options;
  options.piece_bytes = 1;
  options.call_limit = 1 << 20;
  const std::string text = squares(list(100, [](int k) { return k % 7; }));
  EXPECT_EQ(run_on_ranks(text, {}, options).of_rank_zero.out, run_alone(text, options).out);
}

/// Elements that DIST has made on each rank.
std::vector<double> work_of(const JobOutcome& outcome) {
  std::vector<double> work;
  for (const Profile& profile : outcome.profiles) {
    const auto row = profile.instructions().find("DIST INT");
    work.push_back(row == profile.instructions().end() ? 0 : static_cast<double>(row->second.elements));
  }
  return work;
}

TEST(PiecesOnRanks, TheWorkOfACallSharesOutTheNextOne) {
  // The last fifth of the elements have nearly all of the work, which the operands do not show.
  const std::string numbers = "CONST INT " + list(4000, [](int k) { return k < 3200 ? 1 : 300; });
  RunOptions options;
  options.piece_bytes = 20000;
  const auto work = [&](const std::string& calls) {
    return work_of(run_on_ranks(sums_of_ones(numbers, calls), {.ranks = 2}, options));
  };
  const std::vector<double> once = work("COPY 1 0 CALL f CPOP 1 1 POP 1 0");
  const std::vector<double> twice = work("COPY 1 0 CALL f CPOP 1 1 CALL f");
  EXPECT_LT(once[0], once[1] * 0.1);
  const double first = twice[0] - once[0], second = twice[1] - once[1];
  EXPECT_GT(first, second * 0.7);
  EXPECT_LT(first, second * 1.4);
}

TEST(PiecesOnRanks, MessagesAreCounted) {
  RunOptions options;
  options.piece_bytes = 20000;
  const std::string text = sums_of_ones("CONST INT " + list(4000, [](int k) { return k % 50; }), "CALL f POP 1 0");
  const JobOutcome found = run_on_ranks(text, {.ranks = 4, .block = 64}, options);
  const auto line = [&](const std::string& operation) {
    const std::size_t at = found.traffic.find("\n" + operation);
    return at == std::string::npos ? "" : found.traffic.substr(at + 1, 97);
  };
  EXPECT_EQ(line("pieces: operands"),
            "pieces: operands           2         2            0             3             576             876");
  EXPECT_EQ(line("pieces: outcomes"),
            "pieces: outcomes           1         1            1             0            1560            6240");
  EXPECT_EQ(line("parts of the host"),
            "parts of the host          1         1            0             1             196             300");
  EXPECT_EQ(line("all "),
            "all                        4         4            1             4            2332            7416");
}

}  // namespace
}  // namespace interp

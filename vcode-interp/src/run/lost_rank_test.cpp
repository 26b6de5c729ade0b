// Ranks of a job, threads of this process, that have no memory or lose messages in the middle of an operation: the
// places that they name.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "interpreter_testing.h"
#include "thread_job.h"

namespace interp {
namespace {

constexpr int kRanks = 3;
constexpr std::int64_t kBlock = 64;

/// A program that calls functions, each of which exchanges elements or faults, one after the other.
std::string program_of(const std::vector<std::string>& functions, int elements = 5000) {
  std::string calls;
  for (const std::string& function : functions) calls += "CALL " + function + " ";
  return fmt::format(
      "FCODE 1\n"
      "FUNC MAIN\n"
      "CONST INT {0} MAKE_SEGDES CALL numbers {1}CALL folds RET\n"
      "FUNC numbers CONST INT 0 CONST INT 7 COPY 1 2 INDEX CONST INT {0} COPY 1 2 DIST INT % RET\n"
      "FUNC carries\n"
      "COPY 1 0 COPY 1 2 +_SCAN INT + INT RET\n"
      "FUNC back CONST INT {2} CONST INT -1 COPY 1 3 INDEX COPY 1 2 RET\n"
      "FUNC fetches CALL back\n"
      "COPY 1 0 BPERMUTE INT RET\n"
      "FUNC sends CALL back\n"
      "PERMUTE INT RET\n"
      "FUNC sorts COPY 1 0 COPY 1 2\n"
      "RANK_UP INT COPY 1 2 PERMUTE INT RET\n"
      "FUNC folds COPY 1 1\n"
      "+_REDUCE INT CPOP 1 1 POP 1 0 RET\n",
      elements, calls, elements - 1);
}

struct RankOutcome {
  std::string out;      ///< of rank 0
  std::string failure;  ///< what the rank in question told when it ended the job; empty if it did not
};

RankOutcome run_on_ranks(const std::string& program, cvl::conformance::ThreadJob& job, int failing,
                         const std::string& library = "cpu") {
  RankOutcome outcome;
  const auto run = [&](int rank) {
    std::string error;
    const std::unique_ptr<cvl::Backend> backend = job.rank(rank).make_backend(library, {}, {.threads = 1}, error);
    ASSERT_TRUE(backend) << error;
    RunOptions options;
    options.job = &job.rank(rank);
    try {
      const testing::Outcome found = testing::run_text(program, *backend, options);
      EXPECT_EQ(found.status, 0) << found.errors;
      if (rank == 0) outcome.out = found.out;
    } catch (const cvl::BackendLost& lost) {
      if (rank == failing) outcome.failure = lost.what();
      throw;
    }
  };
  try {
    job.run(run);
  } catch (const cvl::BackendLost&) {
  }
  return outcome;
}

std::string run_alone(const std::string& text) {
  std::string error;
  const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(), {.threads = 1}, error);
  EXPECT_TRUE(backend) << error;
  return testing::run_text(text, *backend).out;
}

/// The function that a failure names. Checks that it names a line of this function, too.
std::string place_of(const std::string& text, const std::string& failure) {
  const std::string before = "in function ";
  const std::size_t at = failure.find(before);
  EXPECT_NE(at, std::string::npos) << failure;
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  std::string name = failure.substr(begin, failure.find(';', begin) - begin);
  EXPECT_TRUE(failure.starts_with("p.vcode:")) << failure;
  const auto line = std::strtol(failure.c_str() + std::string("p.vcode:").size(), nullptr, 10);
  const std::string_view program(text);
  const std::size_t function = program.find("FUNC " + name);
  EXPECT_NE(function, std::string_view::npos) << failure;
  const auto line_of = [&](std::size_t place) {
    const std::string_view before_it = program.substr(0, std::min(place, program.size()));
    return 1 + std::count(before_it.begin(), before_it.end(), '\n');
  };
  EXPECT_GE(line, line_of(function)) << failure;
  EXPECT_LE(line, line_of(program.find("\nFUNC", function))) << failure;
  return name;
}

TEST(LostRank, NamesThePlaceWhereMessagesAreLost) {
  const std::string program = program_of({"carries", "fetches", "sends", "sorts"});
  const std::string alone = run_alone(program);
  std::vector<std::string> places;
  for (std::int64_t call = 1; call < 1000; ++call) {
    cvl::conformance::ThreadJob job(kRanks, kBlock);
    job.lose(1, call);
    const RankOutcome outcome = run_on_ranks(program, job, 1);
    if (outcome.failure.empty()) {
      EXPECT_EQ(outcome.out, alone);
      break;
    }
    EXPECT_NE(outcome.failure.find("messages between ranks are lost"), std::string::npos) << outcome.failure;
    const std::string place = place_of(program, outcome.failure);
    if (places.empty() || places.back() != place) places.push_back(place);
  }
  // `numbers` divides, about whose faults ranks agree.
  EXPECT_EQ(places, (std::vector<std::string>{"numbers", "carries", "fetches", "sends", "sorts", "folds"}));
}

TEST(LostRank, NamesThePlaceWhereMemoryEnds) {
  std::mt19937 random(43);
  std::uniform_real_distribution<double> logarithm(6, 12);
  std::vector<std::string> calls = {"fetches", "sends", "sorts"};
  std::set<std::string> places;
  int good = 0;
  // Each of the functions comes before those that need more memory once.
  for (int k = 0; k < 150; ++k) {
    std::rotate(calls.begin(), calls.begin() + 1, calls.end());
    const std::string program = program_of(calls);
    const auto bytes = static_cast<std::size_t>(std::exp(logarithm(random)));
    cvl::conformance::ThreadJob job(kRanks, kBlock, bytes);
    const RankOutcome outcome = run_on_ranks(program, job, kRanks - 1);
    if (outcome.failure.empty()) {
      ++good;
      EXPECT_EQ(outcome.out, run_alone(program)) << bytes << " bytes";
      continue;
    }
    EXPECT_NE(outcome.failure.find("out of memory"), std::string::npos) << outcome.failure;
    places.insert(place_of(program, outcome.failure));
  }
  EXPECT_GT(good, 0);
  for (const std::string& place : calls) EXPECT_TRUE(places.contains(place)) << place;
}

TEST(LostRank, NamesThePlaceWhereADeviceHasNoMemory) {
  const std::string program = program_of({"fetches", "sends", "sorts"}, 100000), alone = run_alone(program);
  std::set<std::string> places;
  int good = 0;
  // The library needs 256 KB to start with. A rank's part of a vector has 133 KB.
  for (double bytes = 1 << 18; bytes < 1.5e6; bytes *= 1.15) {
    cvl::conformance::ThreadJob job(kRanks, kBlock, static_cast<std::size_t>(bytes));
    const RankOutcome outcome = run_on_ranks(program, job, kRanks - 1, "cuda-host");
    if (outcome.failure.empty()) {
      ++good;
      EXPECT_EQ(outcome.out, alone) << bytes << " bytes";
      continue;
    }
    EXPECT_NE(outcome.failure.find("out of memory"), std::string::npos) << outcome.failure;
    places.insert(place_of(program, outcome.failure));
  }
  EXPECT_GT(good, 0);
  EXPECT_GE(places.size(), 2u);
}

}  // namespace
}  // namespace interp

// Evaluates the statements of cases.txt, library.txt and language.txt and compares the replies: nesl_cases [GoogleTest
// options]. Environment: NESL_TEST_BACKEND, the vector library (cpu); NESL_TEST_OPTIMIZATION, as in `nesl -O` (2);
// NESL_TEST_JOB=RANKS:BLOCK, a job of ranks, which divide vectors of that many elements and more; NESL_TEST_PIECES, the
// bytes of a piece, as in `nesl --pieces`; NESL_TEST_WITHOUT=1995, no operations beyond 1995
// that others can compute; NESL_TEST_NATIVE, when kernels are compiled, as in `nesl --native`; NESL_TEST_WITHOUT=each,
// all of them but one, another one for each case, or each in turn if NESL_TEST_LONG is not empty;
// NESL_TEST_WIDTHS=INT,FLOAT, the bits of numbers: the expected replies are then those at `-O 0` with these widths.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../backends/thread_job.h"
#include "case_session.h"
#include "compare.h"
#include "nesl_case_file.h"

namespace {

using nesl_cases::Case;
using vcode::letform::Target;

std::optional<vcode::Widths> other_widths() {
  const char* text = std::getenv("NESL_TEST_WIDTHS");
  if (text == nullptr) return std::nullopt;
  const std::string_view words = text;
  return vcode::Widths{words.starts_with("64") ? vcode::ElemType::kI64 : vcode::ElemType::kI32,
                       words.ends_with("32") ? vcode::ElemType::kF32 : vcode::ElemType::kF64};
}

nesl_cli::Flags tested_flags() {
  nesl_cli::Flags flags;
  if (const char* name = std::getenv("NESL_TEST_BACKEND")) flags.backend = name;
  if (const char* level = std::getenv("NESL_TEST_OPTIMIZATION")) flags.optimize.level = std::atoi(level);
  if (const char* when = std::getenv("NESL_TEST_NATIVE")) flags.native = when;
  if (const char* bytes = std::getenv("NESL_TEST_PIECES")) {
    flags.run.piece_bytes = std::strtoull(bytes, nullptr, 10);
    flags.backend_options.threads = 3;
  }
  flags.run.widths = other_widths().value_or(vcode::Widths{});
  flags.run.allow_spawn = true;
  return flags;
}

/// The targets for which a case is compiled.
std::vector<Target> tested_targets(std::size_t number) {
  const char* without = std::getenv("NESL_TEST_WITHOUT");
  if (without == nullptr) return {Target::all()};
  if (std::string_view(without) == "1995") return {Target::vcode_1995()};
  const char* is_long = std::getenv("NESL_TEST_LONG");
  std::vector<Target> targets;
  for (const vcode::OpInfo& row : vcode::all_ops()) {
    if (!vcode::letform::can_expand(row.op)) continue;
    targets.push_back(Target::all());
    targets.back().remove(row.op);
  }
  if (is_long != nullptr && *is_long != '\0') return targets;
  return {targets[number % targets.size()]};
}

bool defines_function(const nesl_cases::CaseStatement& step) {
  return step.expected.value.find(" = fn :") != std::string::npos;
}

/// Removes the lines of details that start with `beginning`.
void forget_lines(std::string_view beginning, nesl_cases::Reply& reply) {
  std::string kept;
  for (std::size_t begin = 0; begin < reply.error_details.size();) {
    const std::size_t end = std::min(reply.error_details.find('\n', begin), reply.error_details.size());
    const std::string line = reply.error_details.substr(begin, end - begin);
    if (!line.starts_with(beginning)) kept += (kept.empty() ? "" : "\n") + line;
    begin = end + 1;
  }
  reply.error_details = kept;
}

/// Removes details that only one reply has. Only optimized code may know the element at fault: of tail calls, which it
/// makes fewer of, only the last one's values remain. Only unoptimized code has calls that were inlined.
void forget_what_only_one_knows(nesl_cases::Reply& unoptimized, nesl_cases::Reply& optimized) {
  if (unoptimized.error_details.find("at element") == std::string::npos) forget_lines("at element", optimized);
  if (optimized.error_details.find("called from") == std::string::npos) forget_lines("called from", unoptimized);
}

/// Removes what checks tell only where they are operations. Spelled out, they print their messages themselves, without
/// numbers.
void forget_words_of_checks(nesl_cases::Reply& expected, nesl_cases::Reply& reply) {
  const std::size_t said = reply.printed.rfind("\nRUNTIME ERROR: ");
  if (said == std::string::npos) return;
  reply.printed.resize(said);
  if (expected.printed.empty() && reply.printed == "\n") reply.printed.clear();
  expected.error_details.clear();
}

class NeslCase : public testing::Test {
 public:
  NeslCase(const Case& test_case, std::size_t number) : case_(test_case), number_(number) {}

  void TestBody() override {
    if (const char* const job = std::getenv("NESL_TEST_JOB")) return run_on_ranks(job);
    for (const Target& target : tested_targets(number_)) run(target);
  }

 private:
  void run_on_ranks(const char* ranks_and_block) {
    int ranks = 0;
    std::int64_t block = 0;
    ASSERT_EQ(std::sscanf(ranks_and_block, "%d:%ld", &ranks, &block), 2) << ranks_and_block;
    cvl::conformance::ThreadJob job(ranks, block);
    std::vector<std::vector<nesl_cases::Reply>> replies(static_cast<std::size_t>(ranks));
    job.run([&](int rank) {
      nesl::run_with_deep_stack([&] {
        nesl_cli::Flags flags = tested_flags();
        flags.backend_options.threads = 1;
        flags.run.job = &job.rank(rank);
        nesl_cases::CaseSession session(flags);
        for (const nesl_cases::CaseStatement& step : case_.steps)
          replies[static_cast<std::size_t>(rank)].push_back(session.answer(step.statement));
      });
    });
    for (std::size_t k = 0; k < case_.steps.size(); ++k) {
      const nesl_cases::Reply& first = replies[0][k];
      const std::string difference = nesl_cases::difference(case_.steps[k].expected, first);
      EXPECT_TRUE(difference.empty()) << case_.steps[k].statement << "\n" << difference;
      // Rank 0 alone has what the program prints.
      for (const auto& other : replies) EXPECT_EQ(other[k].value, first.value) << case_.steps[k].statement;
    }
  }

  void run(const Target& target) {
    nesl::run_with_deep_stack([&] {
      nesl_cli::Flags flags = tested_flags();
      flags.optimize.target = target;
      nesl_cases::CaseSession session(flags);
      std::optional<nesl_cases::CaseSession> unoptimized;
      flags.optimize.level = 0;
      if (other_widths()) unoptimized.emplace(flags);
      for (const nesl_cases::CaseStatement& step : case_.steps) {
        if (!unoptimized && !defines_function(step)) {
          EXPECT_EQ(session.check_program(step.statement), "") << step.statement;
        }
        nesl_cases::Reply reply = session.answer(step.statement);
        nesl_cases::Reply expected = unoptimized ? unoptimized->answer(step.statement) : step.expected;
        if (unoptimized) forget_what_only_one_knows(expected, reply);
        if (!target.has_all()) forget_words_of_checks(expected, reply);
        const std::string difference = nesl_cases::difference(expected, reply);
        EXPECT_TRUE(difference.empty()) << "line " << step.line << ": " << step.statement << "\n"
                                        << difference << session.messages();
      }
    });
  }

  const Case& case_;
  const std::size_t number_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (std::freopen("/dev/null", "r", stdin) == nullptr) return 1;  // programs of the cases read an empty input
  try {
    std::vector<Case> cases = nesl_cases::read_cases(NESL_CASES_DIR "/cases.txt");
    nesl_cases::apply_exceptions(cases, nesl_cases::read_cases(NESL_CASES_DIR "/exceptions.txt"));
    for (const char* file : {NESL_CASES_DIR "/library.txt", NESL_CASES_DIR "/language.txt"})
      for (Case& test_case : nesl_cases::read_cases(file)) cases.push_back(std::move(test_case));
    for (std::size_t k = 0; k < cases.size(); ++k)
      testing::RegisterTest("cases", cases[k].name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [&cases, k]() -> testing::Test* { return new NeslCase(cases[k], k); });
    const int failed = RUN_ALL_TESTS();
    if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
      std::cerr << "nesl_cases: no case was selected\n";
      return 1;
    }
    return failed;
  } catch (const std::exception& error) {
    std::cerr << "nesl_cases: " << error.what() << "\n";
    return 1;
  }
}

// Evaluates the statements of cases.txt, library.txt and language.txt and compares the replies: nesl_cases [GoogleTest
// options]. Environment: NESL_TEST_BACKEND, the vector library (cpu); NESL_TEST_OPTIMIZATION, as in `nesl -O` (2);
// NESL_TEST_PIECES, the bytes of a piece, as in `nesl --pieces`; NESL_TEST_WIDTHS=INT,FLOAT, the bits of numbers: the
// expected replies are then those at `-O 0` with these widths.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "case_session.h"
#include "compare.h"
#include "nesl_case_file.h"

namespace {

using nesl_cases::Case;

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
  if (const char* bytes = std::getenv("NESL_TEST_PIECES")) {
    flags.run.piece_bytes = std::strtoull(bytes, nullptr, 10);
    flags.backend_options.threads = 3;
  }
  flags.run.widths = other_widths().value_or(vcode::Widths{});
  flags.run.allow_spawn = true;
  return flags;
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

class NeslCase : public testing::Test {
 public:
  explicit NeslCase(const Case& test_case) : case_(test_case) {}

  void TestBody() override {
    nesl::run_with_deep_stack([this] {
      nesl_cli::Flags flags = tested_flags();
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
        const std::string difference = nesl_cases::difference(expected, reply);
        EXPECT_TRUE(difference.empty()) << "line " << step.line << ": " << step.statement << "\n"
                                        << difference << session.messages();
      }
    });
  }

 private:
  const Case& case_;
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
    for (const Case& test_case : cases) {
      testing::RegisterTest("cases", test_case.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [&]() -> testing::Test* { return new NeslCase(test_case); });
    }
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

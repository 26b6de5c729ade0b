// Answers the statements of cases.txt, library.txt and language.txt and compares the replies: nesl_cases [GoogleTest
// options] Environment: NESL_TEST_BACKEND, the vector library (cpu); NESL_TEST_OPTIMIZATION, as in `nesl -O` (2);
// NESL_TEST_WIDTHS=INT,FLOAT, the bits of numbers: what is expected is then what `nesl -O 0` replies with them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string_view>

#include "case_session.h"
#include "compare.h"
#include "cvl/loader.h"
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

class NeslCase : public testing::Test {
 public:
  NeslCase(cvl::Backend& backend, const Case& test_case) : backend_(backend), case_(test_case) {}

  void TestBody() override {
    nesl::run_with_deep_stack([this] {
      const std::optional<vcode::Widths> widths = other_widths();
      nesl_cases::CaseSession session(backend_, widths.value_or(vcode::Widths{}));
      std::optional<nesl_cases::CaseSession> unoptimized;
      if (widths) unoptimized.emplace(backend_, *widths).optimization = 0;
      if (const char* level = std::getenv("NESL_TEST_OPTIMIZATION")) session.optimization = std::atoi(level);
      for (const nesl_cases::Step& step : case_.steps) {
        const nesl_cases::Reply reply = session.answer(step.statement);
        const std::string difference =
            nesl_cases::difference(unoptimized ? unoptimized->answer(step.statement) : step.expected, reply);
        EXPECT_TRUE(difference.empty()) << "line " << step.line << ": " << step.statement << "\n"
                                        << difference << session.messages();
      }
    });
  }

 private:
  cvl::Backend& backend_;
  const Case& case_;
};

cvl::BackendPtr load_backend() {
  const char* name = std::getenv("NESL_TEST_BACKEND");
  std::string error;
  cvl::BackendPtr backend =
      cvl::load_backend(name != nullptr ? name : "cpu", cvl::default_backend_directories(), {}, error);
  if (backend == nullptr) throw std::runtime_error(error);
  return backend;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    const cvl::BackendPtr backend = load_backend();
    std::vector<Case> cases = nesl_cases::read_cases(NESL_CASES_DIR "/cases.txt");
    nesl_cases::apply_exceptions(cases, nesl_cases::read_cases(NESL_CASES_DIR "/exceptions.txt"));
    for (const char* file : {NESL_CASES_DIR "/library.txt", NESL_CASES_DIR "/language.txt"})
      for (Case& test_case : nesl_cases::read_cases(file)) cases.push_back(std::move(test_case));
    for (const Case& test_case : cases) {
      testing::RegisterTest("cases", test_case.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [&]() -> testing::Test* { return new NeslCase(*backend, test_case); });
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

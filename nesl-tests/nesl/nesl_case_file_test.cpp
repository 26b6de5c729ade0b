#include "nesl_case_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

namespace nesl_cases {
namespace {

std::vector<Case> cases_of(const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) /
      (std::string("cases-") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt");
  std::ofstream(path) << text;
  std::vector<Case> cases = read_cases(path);
  std::filesystem::remove(path);
  return cases;
}

const char* const kTwo =
    "# comment\n\n"
    "case a.1 [impl]\n> print(1);\n~ 1\n= it = 1 : int\n> 1/0;\n! runtime Divide by zero.\n- at element [0]\n- called "
    "from f\n\n"
    "case a.2\n> x +;\n! syntax\n";

TEST(CaseFile, ReadsStatementsAndReplies) {
  const std::vector<Case> cases = cases_of(kTwo);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].name, "a.1");
  EXPECT_EQ(cases[0].tag, "[impl]");
  EXPECT_EQ(cases[0].line, 3);
  ASSERT_EQ(cases[0].steps.size(), 2u);
  EXPECT_EQ(cases[0].steps[0].statement, "print(1);");
  EXPECT_EQ(cases[0].steps[0].expected.printed, "1");
  EXPECT_EQ(cases[0].steps[0].expected.value, "it = 1 : int");
  EXPECT_EQ(cases[0].steps[1].expected.error_class, "runtime");
  EXPECT_EQ(cases[0].steps[1].expected.error_text, "Divide by zero.");
  EXPECT_EQ(cases[0].steps[1].expected.error_details, "at element [0]\ncalled from f");
  EXPECT_EQ(cases[1].steps[0].expected.error_class, "syntax");
}

TEST(CaseFile, RejectsMalformedCases) {
  EXPECT_THROW(cases_of("> 1;\n"), std::runtime_error);
  EXPECT_THROW(cases_of("case a\n= it = 1 : int\n"), std::runtime_error);
  EXPECT_THROW(cases_of("case a\n> 1;\n* 2\n"), std::runtime_error);
  EXPECT_THROW(cases_of("case a\n> 1;\n- 2\n"), std::runtime_error);
  EXPECT_THROW(cases_of("case a\n\ncase a\n"), std::runtime_error);
}

TEST(CaseFile, ExceptionsReplaceRepliesAndGiveReasons) {
  std::vector<Case> cases = cases_of(kTwo);
  apply_exceptions(cases, cases_of("case a.1\n> 1/0;\n= it = 0 : int\n? because\n"));
  EXPECT_EQ(cases[0].steps[1].expected.value, "it = 0 : int");
  EXPECT_EQ(cases[0].steps[1].expected.error_class, "");
}

/// The error message about exceptions to the cases of kTwo.
std::string refusal(const std::string& exceptions) {
  std::vector<Case> cases = cases_of(kTwo);
  try {
    apply_exceptions(cases, cases_of(exceptions));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(CaseFile, ExceptionsWithoutEffectAreErrors) {
  EXPECT_EQ(refusal("case b\n> 1;\n= 1\n? why\n"), "exception for b: there is no such case");
  EXPECT_EQ(refusal("case a.2\n> 1;\n= 1\n? why\n"), "exception for a.2, 1;: the case has no such statement");
  EXPECT_EQ(refusal("case a.2\n> x +;\n= 1\n"), "exception for a.2, x +;: it gives no reason");
  EXPECT_EQ(refusal("case a.2\n> x +;\n! syntax\n? why\n"), "exception for a.2, x +;: it changes nothing");
}

}  // namespace
}  // namespace nesl_cases

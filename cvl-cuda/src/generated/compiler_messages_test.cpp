#include "generated/compiler_messages.h"

#include <gtest/gtest.h>

namespace cvl::cuda {
namespace {

constexpr const char* kText =
    "void prelude();\n"
    "void kernel() {\n"
    "  const i32 a_1 = 1;  // step 0\n"
    "  const i32 b_2 = f(a_1);  // step 13\n"
    "}\n";

TEST(CompilerMessages, FindsTheFirstError) {
  EXPECT_EQ(first_error("kernel.cpp: In function:\nkernel.cpp:3:1: error: no a\n  a\nkernel.cpp:4:1: error: no b\n"),
            "kernel.cpp:3:1: error: no a");
  EXPECT_EQ(first_error("sh: 1: g++: not found\nanything\n"), "sh: 1: g++: not found");
  EXPECT_EQ(first_error(""), "");
}

TEST(CompilerMessages, FindsTheStepOfALine) {
  EXPECT_EQ(step_of_error(kText, "kernel.cpp(4): error: no f\n"), 13u);
  EXPECT_EQ(step_of_error(kText, "kernel.cpp:3:9: error: no a\n"), 0u);
}

TEST(CompilerMessages, AnErrorInTheSupportCodeIsOfTheStepThatUsesIt) {
  EXPECT_EQ(step_of_error(kText, "kernel.cpp(1): error: no\n  detected during instantiation at line 4\n"), 13u);
  EXPECT_EQ(step_of_error(kText, "kernel.cpp:4:9:   required from here\nkernel.cpp:1:2: error: no\n"), 13u);
}

TEST(CompilerMessages, FindsTheStepOfTheFirstError) {
  EXPECT_EQ(step_of_error(kText, "kernel.cpp(3): error: no a\n\nkernel.cpp(4): error: no b\n"), 0u);
}

TEST(CompilerMessages, FindsNoStepOutsideOfSteps) {
  for (const char* messages :
       {"", "ptxas error   : too much shared data", "kernel.cpp(1): error: no", "kernel.cpp(5): error: no",
        "kernel.cpp(6): error: no", "kernel.cpp(4000000): error: no", "kernel.cpp(x): error: no"})
    EXPECT_EQ(step_of_error(kText, messages), std::nullopt) << messages;
}

}  // namespace
}  // namespace cvl::cuda

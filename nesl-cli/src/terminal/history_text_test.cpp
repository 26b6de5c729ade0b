#include "history_text.h"

#include <gtest/gtest.h>

namespace nesl_cli {
namespace {

TEST(HistoryText, LinesBecomeOne) {
  EXPECT_EQ(one_line("1 + 2\n"), "1 + 2");
  EXPECT_EQ(one_line("function g(x) =  \n\t  x +\n\n  1;\n"), "function g(x) = x + 1;");
  EXPECT_EQ(one_line("a % 1\n 2 \"% + b\n"), "a % 1 2 \"% + b");
}

TEST(HistoryText, StringsKeepTheirLineEnds) {
  EXPECT_EQ(one_line("\"a\n  b\" ++\n \"\\\"\n\"\n"), "\"a\n  b\" ++ \"\\\"\n\"");
  EXPECT_EQ(one_line("`\"\n = x\n"), "`\" = x");
}

}  // namespace
}  // namespace nesl_cli

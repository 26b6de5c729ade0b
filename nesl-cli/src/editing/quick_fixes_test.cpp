#include "quick_fixes.h"

#include <gtest/gtest.h>

namespace nesl_cli {
namespace {

std::string applied(std::string_view before, std::string_view after) {
  std::string text(before);
  for (const TextChange& change : changed_lines(before, after))
    text.replace(change.span.begin, change.span.end - change.span.begin, change.text);
  return text;
}

TEST(ChangedLines, MakeTheOtherText) {
  const std::string_view texts[] = {"",          "a",      "a\n",    "a\nb\n",  "a\nb\nc\n",
                                    "a\nx\nc\n", "b\na\n", "a\n\nb", "ab\nb\n", "\n\n"};
  for (const std::string_view before : texts)
    for (const std::string_view after : texts) EXPECT_EQ(applied(before, after), after) << before << "->" << after;
}

TEST(ChangedLines, LeaveEqualLinesAlone) {
  EXPECT_TRUE(changed_lines("a\nb\n", "a\nb\n").empty());
  const std::vector<TextChange> changes = changed_lines("one\ntwo\nthree\nfour\n", "one\ntoo\n\nthree\nfour\n");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].span, (base::Span{4, 8}));
  EXPECT_EQ(changes[0].text, "too\n\n");
}

}  // namespace
}  // namespace nesl_cli

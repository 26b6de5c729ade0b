#include "nesl-compiler/cursor.h"

#include <gtest/gtest.h>

namespace nesl {
namespace {

/// The surroundings of the position that a text marks by ^.
CursorContext at_mark(std::string text) {
  const std::size_t mark = text.find('^');
  text.erase(mark, 1);
  return cursor_context(text, static_cast<std::uint32_t>(mark));
}

TEST(CursorContext, WordsAtAPosition) {
  for (const char* text : {"a + ^abc * b;", "a + a^bc * b;", "a + abc^ * b;"}) {
    EXPECT_EQ(at_mark(text).word, (base::Span{4, 7})) << text;
    EXPECT_EQ(at_mark(text).names, (std::vector<std::string>{"a", "b"})) << text;
  }
  EXPECT_EQ(at_mark("a + ^ + b;").word, (base::Span{4, 4}));
  EXPECT_EQ(at_mark("le^t").word, (base::Span{0, 3}));
  EXPECT_FALSE(at_mark("p + ab^").after_dot);
  EXPECT_TRUE(at_mark("p.ab^").after_dot);
  EXPECT_TRUE(at_mark("p.^").after_dot);
}

TEST(CursorContext, NamesOfTheStatementOnly) {
  const CursorContext context = at_mark("x = 1; y = let a = B; c = {d : e; g} in ^; z = 2;");
  EXPECT_EQ(context.names, (std::vector<std::string>{"a", "b", "c", "d", "e", "g", "y"}));
  EXPECT_EQ(at_mark("function f2(x) = (x\nfunction g2(y) = ^").names, (std::vector<std::string>{"g2", "y"}));
}

TEST(CursorContext, CommentsStringsAndNumbersAreNoCode) {
  for (const char* text : {"% ^ %", "%^%", "% ^", "\"^\"", "\"a^", "12^", "1.5^ ", "`a^"})
    EXPECT_FALSE(at_mark(text).in_code) << text;
  for (const char* text : {"^", "% %^", "^% %", "\"\"^", "a^", "%a% b^ %c%", "^12"})
    EXPECT_TRUE(at_mark(text).in_code) << text;
}

TEST(CursorContext, CallsAroundAPosition) {
  const auto call = [](const char* text) {
    const CursorContext context = at_mark(text);
    return context.call ? context.call->function + " " + std::to_string(context.call->argument) : "";
  };
  EXPECT_EQ(call("F(^"), "f 0");
  EXPECT_EQ(call("g2(1, ^)"), "g2 1");
  EXPECT_EQ(call("g2(h(1, 2), (3, 4), [5, 6], ^)"), "g2 3");
  EXPECT_EQ(call("g2(1, h(2, {a, b : a ^"), "h 1");
  EXPECT_EQ(call("g2(1, (2, 3^"), "g2 1");
  EXPECT_EQ(call("g2(1)^"), "");
  EXPECT_EQ(call("(1, ^"), "");
  EXPECT_EQ(call("function g2(a, ^"), "");
  EXPECT_EQ(call("g2(1; h(^"), "h 0");
}

TEST(Cursor, EndOfCodeBefore) {
  EXPECT_EQ(end_of_code_before("a = 1 % one %\n b", 15), 5u);
  EXPECT_EQ(end_of_code_before("% one %", 7), 0u);
}

TEST(Cursor, SuggestedNames) {
  EXPECT_EQ(suggested_name("did you mean length?"), "length");
  EXPECT_EQ(suggested_name("write 1.0"), "");
}

}  // namespace
}  // namespace nesl

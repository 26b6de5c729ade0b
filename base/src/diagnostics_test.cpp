#include "base/diagnostics.h"

#include <gtest/gtest.h>

namespace base {
namespace {

std::string rendered(std::string text, std::uint32_t begin, std::uint32_t end) {
  Diagnostics diagnostics;
  diagnostics.error({begin, end}, "wrong");
  return render(Source("p", std::move(text)), diagnostics);
}

TEST(Diagnostics, Utf8TextIsUnchanged) {
  const std::string text = "aé€😀z";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable("\xC2\xA0\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"),
            "\xC2\xA0\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF");
}

TEST(Diagnostics, ControlCharactersBecomeBlanks) {
  EXPECT_EQ(printable(std::string_view("a\0\t\n\x1B[31m\x7F", 10)), "a    [31m ");
  EXPECT_EQ(printable("\xC2\x80|\xC2\x9B|\xC2\x9F|"), " | | |");
}

TEST(Diagnostics, NamesOfFilesArePrintable) {
  Diagnostics diagnostics;
  diagnostics.error({0, 1}, "wrong").notes.push_back({{}, "why", false});
  EXPECT_EQ(render(Source("p\x1B[2J", "a"), diagnostics), "p [2J:1:1: error: wrong\n  a\n  ^\np [2J: note: why\n");
}

TEST(Diagnostics, BytesThatAreNotUtf8BecomeQuestionMarks) {
  EXPECT_EQ(printable("\x80|\xFF|\xC3"), "?|?|?");
  EXPECT_EQ(printable("\xE2\x82|\xF0\x9F\x98"), "??|???");
  EXPECT_EQ(printable("\xC0\x80|\xE0\x80\x80|\xF0\x80\x80\x80"), "??|???|????") << "longer than need be";
  EXPECT_EQ(printable("\xED\xA0\x80"), "???") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????") << "beyond U+10FFFF";
}

TEST(Diagnostics, TextIsCutBetweenCharacters) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("abc", 2), "ab");
  EXPECT_EQ(cut_text("aé", 2), "a");
  EXPECT_EQ(cut_text("a😀b", 4), "a");
  EXPECT_EQ(cut_text("a😀b", 5), "a😀");
  EXPECT_EQ(cut_text("\x80\x80\x80\x80\x80", 4), "\x80\x80\x80\x80");
}

TEST(Diagnostics, TheCaretStandsBelowCharactersNotBytes) {
  EXPECT_EQ(rendered("é = ü €;", 5, 11), "p:1:6: error: wrong\n  é = ü €;\n      ^~~\n");
  EXPECT_EQ(rendered("\xFF\xC3 x\x01y", 0, 5), "p:1:1: error: wrong\n  ?? x y\n  ^~~~~\n");
}

TEST(Diagnostics, TheCaretStandsAtTheEndOfALineThatIsTooShort) {
  EXPECT_EQ(rendered("é", 2, 2), "p:1:3: error: wrong\n  é\n   ^\n");
  EXPECT_EQ(rendered("", 0, 0), "p:1:1: error: wrong\n  \n  ^\n");
}

TEST(Diagnostics, TildesEndWithTheLine) { EXPECT_EQ(rendered("ab\ncd", 1, 5), "p:1:2: error: wrong\n  ab\n   ^\n"); }

TEST(Diagnostics, WindowOfALongLineCutsNoCharacter) {
  std::string text;
  for (int k = 0; k < 100; ++k) text += "é";
  text.replace(100, 2, "x");
  const std::string lines = rendered(text, 100, 101);
  EXPECT_EQ(lines.find('?', lines.find('\n')), std::string::npos) << lines;
  EXPECT_NE(lines.find("\n" + std::string(2 + 1 + 25, ' ') + "^\n"), std::string::npos) << lines;
  EXPECT_EQ(rendered(text + "\xFF", 101, 500).find("??"), std::string::npos);
}

}  // namespace
}  // namespace base

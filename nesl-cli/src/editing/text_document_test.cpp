#include "text_document.h"

#include <gtest/gtest.h>

namespace nesl_cli {
namespace {

// Bytes of each character: a 1, é 2, € 3, 😀 4.
const std::string kText = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z\r\nb\rc\n\nd";

TEST(TextDocument, Utf16PositionsAndBack) {
  const TextDocument text(kText, PositionEncoding::kUtf16);
  EXPECT_EQ(text.offset({0, 0}), 0u);
  EXPECT_EQ(text.offset({0, 1}), 1u);
  EXPECT_EQ(text.offset({0, 2}), 3u);
  EXPECT_EQ(text.offset({0, 3}), 6u);
  EXPECT_EQ(text.offset({0, 4}), 6u);  // between the two units of the last character
  EXPECT_EQ(text.offset({0, 5}), 10u);
  EXPECT_EQ(text.position(10), (Position{0, 5}));
  EXPECT_EQ(text.position(8), (Position{0, 3}));
}

TEST(TextDocument, Utf8PositionsAndBack) {
  const TextDocument text(kText, PositionEncoding::kUtf8);
  EXPECT_EQ(text.offset({0, 2}), 1u);  // inside a character
  EXPECT_EQ(text.offset({0, 3}), 3u);
  EXPECT_EQ(text.offset({0, 10}), 10u);
  EXPECT_EQ(text.position(10), (Position{0, 10}));
  EXPECT_EQ(text.position(8), (Position{0, 6}));
}

TEST(TextDocument, LinesEndInThreeWays) {
  const TextDocument text(kText, PositionEncoding::kUtf16);
  const auto end_of_line = [&](std::uint32_t line) { return text.offset({line, 1000}); };
  EXPECT_EQ(end_of_line(0), 11u);
  EXPECT_EQ(text.offset({1, 0}), 13u);
  EXPECT_EQ(end_of_line(1), 14u);
  EXPECT_EQ(text.offset({2, 0}), 15u);
  EXPECT_EQ(end_of_line(3), 17u);
  EXPECT_EQ(text.offset({4, 0}), 18u);
  EXPECT_EQ(text.offset({5, 0}), kText.size());
  EXPECT_EQ(text.position(12), (Position{0, 6}));  // between \r and \n
  EXPECT_EQ(text.position(1000), (Position{4, 1}));
}

TEST(TextDocument, EveryOffsetAtTheBeginningOfACharacterSurvives) {
  for (const PositionEncoding encoding : {PositionEncoding::kUtf8, PositionEncoding::kUtf16}) {
    const TextDocument text(kText, encoding);
    for (const std::uint32_t offset : {0u, 1u, 3u, 6u, 10u, 11u, 13u, 14u, 15u, 16u, 17u, 18u, 19u})
      EXPECT_EQ(text.offset(text.position(offset)), offset);
  }
}

TEST(TextDocument, BytesThatAreNoCharactersCountOneUnit) {
  const TextDocument text("\xFF\xC3(\xF0\x9F", PositionEncoding::kUtf16);
  EXPECT_EQ(text.offset({0, 3}), 3u);
  EXPECT_EQ(text.position(5), (Position{0, 5}));
}

TEST(TextDocument, Replacements) {
  TextDocument text("one\ntwo\n", PositionEncoding::kUtf16);
  EXPECT_TRUE(text.replace(Range{{0, 1}, {1, 1}}, "\n\n"));
  EXPECT_EQ(text.text(), "o\n\nwo\n");
  EXPECT_EQ(text.offset({2, 0}), 3u);
  EXPECT_FALSE(text.replace(Range{{1, 0}, {0, 0}}, "x"));
  EXPECT_EQ(text.text(), "o\n\nwo\n");
  EXPECT_TRUE(text.replace(std::nullopt, "new"));
  EXPECT_EQ(text.position(3), (Position{0, 3}));
}

}  // namespace
}  // namespace nesl_cli

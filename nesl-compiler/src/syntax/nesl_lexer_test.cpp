#include "nesl_lexer.h"

#include <gtest/gtest.h>

#include <string>

namespace nesl {
namespace {

/// The tokens of a text, separated by blanks, with "/" before the first token of a line, and "!" and the reason for a
/// bad token.
std::string tokens(std::string_view text) {
  Lexer lexer(text);
  std::string all;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (!all.empty()) all += ' ';
    if (token.new_line) all += '/';
    const std::string_view spelled = text.substr(token.span.begin, token.span.end - token.span.begin);
    all += token.kind == TokenKind::kBad ? "!" + lexer.error().message : std::string(spelled);
  }
  return all;
}

TokenKind kind(std::string_view text) { return Lexer(text).next().kind; }

std::string problem(std::string_view text) {
  Lexer lexer(text);
  EXPECT_EQ(lexer.next().kind, TokenKind::kBad) << text;
  return lexer.error().message;
}

TEST(Lexer, LongestSignWins) {
  EXPECT_EQ(tokens("a->b<-c=>d++e||f|g|=h::i:=j&=k>>l>=m=n==o/=p<=q"),
            "/a -> b <- c => d ++ e || f | g |= h :: i := j &= k >> l >= m = n == o /= p <= q");
  EXPECT_EQ(tokens("+++---::="), "/++ + - - - :: =");
  EXPECT_EQ(tokens("'#@$;,()[]{}?\\^*&!"), "/' # @ $ ; , ( ) [ ] { } ? \\ ^ * & !");
}

TEST(Lexer, EverySpellingGivesItsToken) {
  for (const Spelling& s : kSpellings) EXPECT_EQ(kind(s.text), s.kind) << s.text;
}

TEST(Lexer, NamesAndWords) {
  EXPECT_EQ(tokens("_x x~y a1b2 \xC3\xA9t\xC3\xA9 a.b"), "/_x x~y a1b2 \xC3\xA9t\xC3\xA9 a . b");
  EXPECT_EQ(tokens("a.5 b.c.d"), "/a .5 b . c . d");
  EXPECT_EQ(kind("LeT"), TokenKind::kLet);
  EXPECT_EQ(kind("lets"), TokenKind::kName);
  EXPECT_EQ(kind("T"), TokenKind::kTrue);
  EXPECT_EQ(fold_case("FooBar\xC3\x89"), "foobar\xC3\x89");
  EXPECT_TRUE(is_plain_name("a1"));
  EXPECT_FALSE(is_plain_name("1a"));
  EXPECT_FALSE(is_plain_name("++"));
  EXPECT_FALSE(is_plain_name("and"));
  EXPECT_FALSE(is_plain_name("f"));
  EXPECT_FALSE(is_plain_name(""));
}

TEST(Lexer, Numbers) {
  for (const char* real : {"1.5", ".5", "3.", "1e3", "1E-2", "3.e2", "2.5e+2", ".5e1"})
    EXPECT_EQ(tokens(std::string(real) + " "), std::string("/") + real);
  for (const char* real : {"1.5", ".5", "3.", "1e3", "3.e2"}) EXPECT_EQ(kind(real), TokenKind::kFloat) << real;
  EXPECT_EQ(kind("007"), TokenKind::kInt);
  EXPECT_EQ(tokens("1.+2"), "/1. + 2");
  EXPECT_EQ(problem("3x"), "malformed number 3x: a name cannot begin with a digit");
  EXPECT_EQ(problem("3.x1+2"), "malformed number 3.x1: a name cannot begin with a digit");
  EXPECT_EQ(problem("1e"), "malformed number 1e: the exponent has no digits");
  EXPECT_EQ(problem("1e+;"), "malformed number 1e+: the exponent has no digits");
  EXPECT_EQ(problem("1e+x"), "malformed number 1e+x: the exponent has no digits");
  EXPECT_EQ(problem("1.2.3"), "malformed number 1.2.3: it has two points");
}

TEST(Lexer, Characters) {
  EXPECT_EQ(tokens("`a `; ` `% `\" ``+"), "/`a `; `  `% `\" `` +");
  EXPECT_EQ(kind("`\n"), TokenKind::kChar);
  EXPECT_EQ(kind("`\xE9"), TokenKind::kChar);
  EXPECT_EQ(problem("`"), "` must be followed by a character");
  EXPECT_EQ(problem("`\xC3\xA9"), "the character \xC3\xA9 is 2 bytes long, and a char is one byte");
  EXPECT_EQ(tokens("`\xED\xA0\x80"), "/`\xED \xA0\x80") << "what is not UTF-8 has no characters of several bytes";
}

TEST(Lexer, Strings) {
  EXPECT_EQ(tokens(R"("a%b;" "say \"hi\"" "\\" "")"), R"(/"a%b;" "say \"hi\"" "\\" "")");
  EXPECT_EQ(string_contents(R"("say \"hi\" \n\t\r \\n")"), "say \"hi\" \n\t\r \\n");
  EXPECT_EQ(string_contents(R"("\0a\00")"), std::string("\0a\0"
                                                        "0",
                                                        4));
  EXPECT_EQ(quoted_string("\n\t\r"), R"("\n\t\r")");
  EXPECT_EQ(problem(R"("a\qb" c)"), R"(\q means nothing in a string)");
  EXPECT_EQ(problem("\"a\\\xC3\xA9\" c"), "\\\xC3\xA9 means nothing in a string");
  EXPECT_EQ(problem("\"a\\\n\" c"), "this backslash means nothing in a string");
  EXPECT_EQ(tokens(R"("a\q\z;" c "d")"), R"(/!\q means nothing in a string c "d")") << "the string is left out";
  EXPECT_EQ(quoted_string("a\"b\\"), R"("a\"b\\")");
  EXPECT_EQ(problem("\"abc"), "this string has no closing quote");
  EXPECT_EQ(problem("\"abc\\\""), "this string has no closing quote");
}

TEST(Lexer, CommentsAndLines) {
  EXPECT_EQ(tokens("a % b % c %% d"), "/a c d");
  EXPECT_EQ(tokens("a % b\n % c\nd \"x\ny\" e"), "/a /c /d \"x\ny\" e");
  EXPECT_EQ(problem("% abc"), "this comment is not closed: comments end at the next %");
  EXPECT_EQ(tokens("\xEF\xBB\xBF"
                   "a"),
            "/a");
}

TEST(Lexer, UnclosedStringHintsAtEarlierQuote) {
  const std::string text = "a \"b\nc\" d \"e";
  Lexer lexer(text);
  Token token = lexer.next();
  while (token.kind != TokenKind::kBad) token = lexer.next();
  EXPECT_EQ(token.span, (Span{10, 11}));
  ASSERT_TRUE(lexer.error().hint.has_value());
  EXPECT_EQ(lexer.error().hint->span, (Span{2, 7}));
  EXPECT_EQ(lexer.next().kind, TokenKind::kEnd);
}

TEST(Lexer, UnexpectedBytesAreReported) {
  EXPECT_EQ(problem(std::string_view("\0", 1)), "unexpected byte 0x00");
  EXPECT_EQ(problem("\x7F"), "unexpected byte 0x7F");
}

TEST(Lexer, LookalikesAreReported) {
  EXPECT_EQ(tokens("a \u201Cb c;\u201D d"), "/a !\u201C is a typographic quote; write \" d");
  EXPECT_EQ(tokens("3\u2212x"), "/3 !\u2212 is a minus sign of its own, U+2212; write - x");
  EXPECT_EQ(tokens("a\u00A0b"), "/a !this is a no-break space, U+00A0; write an ordinary blank b");
  EXPECT_EQ(tokens("\u00E9t\u00E9 \"\u201C\""), "/\u00E9t\u00E9 \"\u201C\"") << "in strings they are characters";
  EXPECT_FALSE(is_plain_name("a\u2212"));
}

TEST(Lexer, SkipsLines) {
  Lexer lexer("a; b \" % \n c");
  lexer.next();
  lexer.next();
  lexer.skip_line();
  const Token token = lexer.next();
  EXPECT_EQ(token.span, (Span{11, 12}));
  EXPECT_TRUE(token.new_line);
}

}  // namespace
}  // namespace nesl

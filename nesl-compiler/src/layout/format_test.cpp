// The layout of programs: small texts, and all programs of the source tree.
#include "nesl-compiler/format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "comments.h"
#include "nesl-compiler/session.h"
#include "parser_testing.h"

namespace nesl::testing {
namespace {

/// The formatted text, or the messages about it.
std::string formatted(const std::string& text) {
  const base::Source source("a.nesl", text);
  base::Diagnostics diagnostics;
  const std::optional<std::string> result = format(source, diagnostics);
  return result ? *result : render(source, diagnostics);
}

/// Expects the result, and that formatting the result changes nothing.
void expect_format(const std::string& text, const std::string& result) {
  EXPECT_EQ(formatted(text), result);
  EXPECT_EQ(formatted(result), result);
}

TEST(Format, BlanksAreThoseOfTheTokens) {
  expect_format("x=1+2*3 ;", "x = 1 + 2*3;\n");
  expect_format("{ a+b:(a , b)in s|a<b } ;", "{a + b : (a, b) in s | a < b};\n");
  expect_format("function  g( x,y )=-x ^ 2-# y;", "function g(x, y) = -x ^ 2 - #y;\n");
  expect_format("[0:n-1]; [0 : n]; s->[1]; s<-[(0,1)];", "[0:n - 1];\n[0 : n];\ns -> [1];\ns <- [(0, 1)];\n");
  expect_format("scan('+,0,s); '-; reduce( 'max ,0,s);", "scan('+, 0, s);\n'-;\nreduce('max, 0, s);\n");
  expect_format("f (x); f(x); f x; a [1]; p . x; @-x; not # a;", "f (x);\nf(x);\nf x;\na [1];\np.x;\n@-x;\nnot #a;\n");
  expect_format("g(x,tol:=1.0); x=>x+1; {*f(x):x in s}; a||b; 1 - -2; --x;",
                "g(x, tol := 1.0);\nx => x + 1;\n{* f(x) : x in s};\na || b;\n1 - -2;\n--x;\n");
  expect_format("function g(x:a,s:[a]):[a]::(a in any)=[x]++s;",
                "function g(x : a, s : [a]) : [a] :: (a in any) = [x] ++ s;\n");
  expect_format("datatype p(x:float,y:float)::(a in any);", "datatype p(x : float, y : float) :: (a in any);\n");
  expect_format("test\"a\"for s:[int]|#s>0=g(s)==[1];", "test \"a\" for s : [int] | #s > 0 = g(s) == [1];\n");
  expect_format("bench \"a\" for n in[1K,1M];s=g(n)=h(s);", "bench \"a\" for n in [1K, 1M]; s = g(n) = h(s);\n");
}

TEST(Format, DefinitionsOfTheLibraryKeepTheirNames) {
  expect_format(
      "primitive  'and:(a,a)->a::(a in any) =\"AND\";\nfunction nand(a,b) =not(a and b);\n"
      "function <- (s,u)=s; primitive # : [a]->int;",
      "primitive 'and : (a, a) -> a :: (a in any) = \"AND\";\nfunction nand(a, b) = not(a and b);\n"
      "function <- (s, u) = s;\nprimitive # : [a] -> int;\n");
}

TEST(Format, StatementsBeginLines) {
  expect_format("x = 1; y = 2 $  z = 3;", "x = 1;\ny = 2$\nz = 3;\n");
  expect_format("\n\n\nx = 1;\n\n\n\ny = 2\n;", "x = 1;\n\ny = 2;\n");
  expect_format(";;x = 1;;", ";;\nx = 1;;\n");
  expect_format("", "");
  expect_format("  \n", "");
}

TEST(Format, CommandsStayAsTheyAre) {
  expect_format("  set   print_length  3;load  \"a\" ;", "set   print_length  3;\nload  \"a\";\n");
}

TEST(Format, LinesAreIndentedByTheirConstructs) {
  expect_format("function g(s) =\nif #s < 2 then s\nelse\nlet x = 1;\ny = 2;\nin x + y;",
                "function g(s) =\n  if #s < 2 then s\n  else\n    let x = 1;\n        y = 2;\n    in x + y;\n");
  expect_format("g(a,\nb,\n[1,\n2]);", "g(a,\n  b,\n  [1,\n   2]);\n");
  expect_format("g(\na,\nb\n);", "g(\n  a,\n  b\n);\n");
  expect_format("x = if a then b\nelse if c then d\nelse\ne;",
                "x = if a then b\n    else if c then d\n    else\n      e;\n");
  expect_format("x =\na\n++ b;", "x =\n  a\n  ++ b;\n");
  expect_format("let a = b\n* c;\nd = {e : f in g;\nh in\ni\n| j} in a;",
                "let a = b\n        * c;\n    d = {e : f in g;\n         h in\n         i\n         | j} in a;\n");
  expect_format("let a =\n1;\nb = 2 in\na + b;", "let a =\n      1;\n    b = 2 in\n  a + b;\n");
}

TEST(Format, CommentsStayAtTheirPlaces) {
  expect_format("% head %\n\nx = 1;  % behind %\n   % before y %\ny = (% in %1 % and %\n+ 2);",
                "% head %\n\nx = 1;  % behind %\n% before y %\ny = ( % in % 1 % and %\n             + 2);\n");
  expect_format("% two   \n    lines %\nx = 1;", "% two\n    lines %\nx = 1;\n");
  expect_format("% only %", "% only %\n");
  expect_format("x =\n% if %\nif a then 1\n% one %\n% else %\nelse let b = 1\n% in %\nin b;",
                "x =\n  % if %\n  if a then 1\n  % one %\n  % else %\n  else let b = 1\n       % in %\n       in b;\n");
  expect_format("g(a, % one %\nb % two %\n);", "g(a, % one %\n  b % two %\n );\n");
}

TEST(Format, LongLinesAreDivided) {
  const std::string name(30, 'a');
  expect_format("function g(x) = " + name + "(x, " + name + ", " + name + ");",
                "function g(x) =\n  " + name + "(x, " + name + ", " + name + ");\n");
  expect_format("x = let y = " + name + "(" + name + "); z = " + name + "(4, 5) in " + name + "(y, z);",
                "x =\n  let y = " + name + "(" + name + ");\n      z = " + name + "(4, 5)\n  in " + name + "(y, z);\n");
  expect_format("g(" + name + ", " + name + ", " + name + ", " + name + ");",
                "g(" + name + ", " + name + ", " + name + ",\n  " + name + ");\n");
  expect_format(name + " ++ " + name + " ++ " + name + " ++ " + name + ";",
                name + " ++ " + name + " ++ " + name + "\n  ++ " + name + ";\n");
  // A call cannot be divided before its argument.
  expect_format(name + name + " " + name + name + ";", name + name + " " + name + name + ";\n");
  const std::string text = "\"" + std::string(120, 'x') + "\"";
  expect_format("x = " + text + ";", "x =\n  " + text + ";\n");
}

TEST(Format, ErrorsAreReported) {
  EXPECT_EQ(formatted("x = (1;"),
            "a.nesl:1:5: error: this ( is not closed\n  x = (1;\n      ^\na.nesl:1:7: note: the statement ends here\n"
            "  x = (1;\n        ^\n");
  EXPECT_NE(formatted("x = \"a;").find("this string has no closing quote"), std::string::npos);
  EXPECT_NE(formatted("x = 1").find("missing ; or $ at the end"), std::string::npos);
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> comment_texts(const std::string& text) {
  std::vector<std::string> all;
  for (const base::Span comment : comments_of(text)) {
    std::string& kept = all.emplace_back(text.substr(comment.begin, comment.end - comment.begin));
    for (std::size_t at; (at = kept.find(" \n")) != std::string::npos;) kept.erase(at, 1);
  }
  return all;
}

/// All programs without errors in the source tree, the library too.
TEST(Format, ProgramsKeepTheirTreesAndComments) {
  int files = 0;
  run_with_deep_stack([&] {
    const std::filesystem::path root = NESL_SOURCE_DIR;
    for (const char* folder : {"bench", "examples", "nesl-compiler", "nesl-tests", "docs", "python"})
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
        if (entry.path().extension() != ".nesl") continue;
        const std::string text = contents(entry.path());
        const ParseOptions options = errors(text).empty() ? ParseOptions{} : kPrelude;
        if (!errors(text, options).empty()) {
          EXPECT_NE(formatted(text).find(": error: "), std::string::npos) << entry.path();
          continue;
        }
        ++files;
        const std::string result = formatted(text);
        EXPECT_EQ(tree(result, options), tree(text, options)) << entry.path();
        EXPECT_EQ(comment_texts(result), comment_texts(text)) << entry.path();
        EXPECT_EQ(formatted(result), result) << entry.path();
        for (std::size_t at = result.find('\n'); at != std::string::npos; at = result.find('\n', at + 1))
          EXPECT_FALSE(at > 0 && result[at - 1] == ' ') << entry.path() << " has a blank at the end of a line";
      }
  });
  EXPECT_GT(files, 150);
}

}  // namespace
}  // namespace nesl::testing

#include "nesl-compiler/completeness.h"

#include <gtest/gtest.h>

namespace nesl {
namespace {

void expect_all(Completeness expected, std::initializer_list<const char*> texts) {
  for (const char* text : texts) EXPECT_EQ(completeness(text), expected) << text;
}

TEST(Completeness, BlanksAndCommentsAreEmpty) {
  expect_all(Completeness::kEmpty, {"", " \n\t", "% just this; %", "% a % % b %\n"});
}

TEST(Completeness, TerminatorsEndStatements) {
  expect_all(Completeness::kTerminated,
             {"1;", "1$", "1 + 2; % done %", "x = 1; y = 2$", ";", "function f(x) = x;", "let a = 1; b = 2 in a + b;",
              "let a = 1; in a;", "f(let a = 1; in a);", "{x + y : x in a; y in b};", "\"a;b\";", "`;;", "if a then b;",
              "'let;", "datatype p(int) :: (a in any; b in any);", "1 +;"});
}

TEST(Completeness, TerminatorsInsideOpenConstructsDoNotEndStatements) {
  expect_all(Completeness::kIncomplete, {"let a = 1;", "let a = 1; b = 2;", "{x : x in a;", "\"a;", "% comment;", "`",
                                         "let a = let b = 1; in b;", "{let a = 1; in a : x in xs; ", "[1; 2", "'"});
}

TEST(Completeness, OpenConstructsAreIncomplete) {
  expect_all(Completeness::kIncomplete,
             {"(1", "[1, 2", "{x in", "f(x, [1)", "p.", "if a", "if a then b", "if a then if b then c else d",
              "let a = 1", "1 +", "a and", "#", "x =", "x => ", "function f(x) =", "a ->", "1,", "function", "a :"});
}

TEST(Completeness, CompleteStatementsMayLackTheirTerminator) {
  expect_all(
      Completeness::kStatement,
      {"1", "1 + 2", "x = 3", "let a = 1 in a", "if a then b else c", "{x * x : x in [1, 2]}", "\"done\"", "1; 2", "'+",
       "scan('+, 0, a)", "(let a = 1 in a)", "p.x", "[]", "exit", "help", "f)", "% c % 1 % d %", "t", "'let"});
  expect_all(Completeness::kDefinition,
             {"function f(x) = x", "function f(x) : int -> int", "datatype p(int)", "datatype p(x : int)",
              "function g(x : int) : int = x", "1; function f(x) = x"});
}

TEST(Completeness, CharactersAndEscapesAreNotBrackets) {
  expect_all(Completeness::kTerminated, {"`(;", "`\";", "\"\\\"\";", "`%;", "\"%\";", "\"(\";"});
}

TEST(Completeness, BadTokensDoNotMatter) { expect_all(Completeness::kTerminated, {"3x;", ". ;", "\x01;"}); }

}  // namespace
}  // namespace nesl

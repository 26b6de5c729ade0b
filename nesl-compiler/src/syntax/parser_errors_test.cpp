// Messages of the parser about texts with errors.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "parser_testing.h"

namespace nesl::testing {
namespace {

TEST(ParserErrors, Operands) {
  EXPECT_EQ(errors("1 +;"), "1:4 ';': an expression after + was expected, not ;\n");
  EXPECT_EQ(errors("1 + + 2;"), "1:5 '+': an expression after + was expected, not +\n");
  EXPECT_EQ(errors("* 3;"), "1:1 '*': an expression was expected, not *\n");
  EXPECT_EQ(errors("else;"), "1:1 'else': an expression was expected, not else\n");
  EXPECT_EQ(errors("();"), "1:2 ')': an expression after ( was expected, not )\n");
  EXPECT_EQ(errors("g();"), "1:3 ')': an argument was expected, not )\n");
  EXPECT_EQ(errors("x = ! y;"),
            "1:5 '!': an expression after = was expected, not !\n  not(a) negates, and a /= b is inequality\n");
  EXPECT_EQ(errors("'(;"), "1:2 '(': an operator or a name after ' was expected, not (\n");
  EXPECT_EQ(errors("pair(1, 2);"),
            "1:1 'pair': an expression was expected, not pair\n  pair is a reserved word; a pair is written (a, b)\n");
  EXPECT_EQ(errors("1e999;"), "1:1 '1e999': 1e999 is outside the range of a float\n");
  EXPECT_EQ(errors("3x + 1;"), "1:1 '3x': malformed number 3x: a name cannot begin with a digit\n");
}

TEST(ParserErrors, Brackets) {
  EXPECT_EQ(errors("(1, 2;"), "1:1 '(': this ( is not closed\n  ';': the statement ends here\n");
  EXPECT_EQ(errors("a = [1, 2"), "1:5 '[': this [ is not closed\n");
  EXPECT_EQ(errors("(1, 2];"), "1:6 ']': an operator, a comma or ) was expected, not ]\n  '(': to close this (\n");
  EXPECT_EQ(errors("1);"), "1:2 ')': an operator, ; or $ was expected, not )\n");
  EXPECT_EQ(errors("[1, 2,];"), "1:7 ']': an expression after , was expected, not ]\n");
  EXPECT_EQ(errors("a[1:3];"),
            "1:4 ':': an operator or ] was expected, not :\n  subseq(a, start, end) is a part of a sequence\n");
  EXPECT_EQ(errors("[1:2, 3];"), "1:5 ',': an operator or ] was expected, not ,\n  '[': to close this [\n");
}

TEST(ParserErrors, Forms) {
  EXPECT_EQ(errors("if t then 1;"), "1:12 ';': an operator or else was expected, not ;\n  'if': the if begins here\n");
  EXPECT_EQ(errors("if x = 3 then 1 else 2;"),
            "1:6 '=': an operator or then was expected, not =\n  == compares\n  'if': the if begins here\n");
  EXPECT_EQ(errors("let x 3 in x;"),
            "1:9 'in': an operator or = in a binding of let was expected, not in\n"
            "  'let': the let begins here: let name = value; ... in expression\n");
  EXPECT_EQ(errors("let x = 3; y = 4; x + y;"),
            "1:24 ';': an operator or = in a binding of let was expected, not ;\n"
            "  'let': the let begins here: let name = value; ... in expression\n");
  EXPECT_EQ(errors("{a + 1};"),
            "1:7 '}': an operator or in was expected, not }\n"
            "  'a + 1': only a name can be a binding without in: {a} is {a in a}\n");
  EXPECT_EQ(errors("{x in a;};"), "1:9 '}': a binding after the last ; was expected, not }\n");
  EXPECT_EQ(errors("{x in a | b | c};"), "1:13 '|': an apply-to-each has one filter; join conditions with and\n");
  EXPECT_EQ(errors("(x := 3);"),
            "1:4 ':=': an operator, a comma or ) was expected, not :=\n"
            "  name := value is an optional argument, only between the parentheses of a call or definition\n"
            "  '(': to close this (\n");
  EXPECT_EQ(errors("g(x := 3, 4);"), "1:11 '4': optional arguments (name := value) come last\n");
  EXPECT_EQ(errors("x = y = 3;"), "1:7 '=': an operator, ; or $ was expected, not =\n  == compares\n");
  EXPECT_EQ(errors("x &= 3;"), "1:3 '&=': background jobs (&=) do not exist here; use =\n");
}

TEST(ParserErrors, Definitions) {
  const std::string hint = "  every function has one; a value is defined by name = value\n";
  EXPECT_EQ(errors("function g = 3;"), "1:12 '=': the parameter of g was expected, not =\n" + hint);
  EXPECT_EQ(errors("function g() = 3;"), "1:12 ')': an argument was expected, not )\n");
  EXPECT_EQ(errors("function insertion-sort(a) = a;"),
            "1:19 '-': the parameter of insertion was expected, not -\n  - is an operator and no part of a name\n");
  EXPECT_EQ(errors("function g(x) : int = x;"),
            "1:17 'int': the type of g has no ->\n  a function that takes a and gives b has the type a -> b; a tuple "
            "around or behind -> needs parentheses\n"
            "  the type of the result alone can follow parameters with types: (x : a) : b\n");
  EXPECT_EQ(errors("function g(x : int, y) : int;"), "1:21 'y': without a body each parameter needs a type\n");
  EXPECT_EQ(errors("function g(x : ) = 1;"), "1:16 ')': a type was expected, not )\n");
  EXPECT_EQ(errors("datatype p(x : int, int);"), "1:24 ')': : and the type of the field was expected, not )\n");
  EXPECT_EQ(errors("datatype p(x : int, y : );"), "1:25 ')': a type was expected, not )\n");
  EXPECT_EQ(errors("p.;"), "1:3 ';': the name of a field after . was expected, not ;\n");
  EXPECT_EQ(errors(".;"), "1:1 '.': an expression was expected, not .\n");
  EXPECT_EQ(errors("p.let;"), "1:3 'let': the name of a field after . was expected, not let\n");
  EXPECT_EQ(errors("function g(x);"), "1:14 ';': a type (: a -> b) or = was expected, not ;\n");
  EXPECT_EQ(errors("function g(x, y := 3) : int -> int;"), "1:10 'g': g has optional arguments but no body\n");
  EXPECT_EQ(errors("function g(x) : a -> a :: (a number) = x;"), "1:30 'number': in was expected, not number\n");
  EXPECT_EQ(errors("datatype p;"), "1:11 ';': a type was expected, not ;\n");
  EXPECT_EQ(errors("datatype (int);"), "1:10 '(': the name of a datatype was expected, not (\n");
  EXPECT_EQ(errors("primitive x : int;"), "1:13 ':': an operator, ; or $ was expected, not :\n");
}

TEST(ParserErrors, ReservedWords) {
  const std::string truth_values =
      "  it is a truth value; functions, variables, parameters and fields may be called t or f, but no datatype\n";
  const std::string words =
      "  any other name can be defined, those of the library too; reserved are if then else let in function datatype "
      "closure pair defconfig t f time and or nand nor xor\n";
  EXPECT_EQ(errors("t = 5;", kPrelude), "1:1 't': t is reserved and cannot be defined [reserved]\n" + truth_values);
  EXPECT_EQ(errors("datatype f(int);"), "1:10 'f': f is reserved and cannot be defined [reserved]\n" + truth_values);
  EXPECT_EQ(errors("time = 3;"), "1:1 'time': time is reserved; it is used as time(expression) [reserved]\n");
  EXPECT_EQ(errors("in = 3;"), "1:1 'in': in is reserved and cannot be a name [reserved]\n");
  EXPECT_EQ(errors("function + (x, y) = x;"), "1:10 '+': + is an operator and cannot be defined [reserved]\n" + words);
  EXPECT_EQ(errors("datatype if int;"), "1:10 'if': if is reserved and cannot be defined [reserved]\n" + words);
  EXPECT_EQ(errors("function g(x) : a -> t = 1;"), "1:22 't': a type was expected; t is reserved [reserved]\n");
  EXPECT_EQ(errors("f(x) = 3;"), "1:1 'f': f is reserved and cannot be defined [reserved]\n" + truth_values);
}

TEST(ParserErrors, FormsOfOtherLanguages) {
  EXPECT_EQ(errors("def g(x) = x; y = 1;"),
            "1:1 'def': def is no word of NESL\n  a function is defined by function name(x) = expression\n");
  EXPECT_EQ(errors("{x for x in s};"),
            "1:4 'for': for is no word of NESL\n  an apply-to-each is written {expression : x in sequence}\n");
  EXPECT_EQ(errors("map(lambda x: x + 1, s);"),
            "1:5 'lambda': lambda is no word of NESL\n  a function without a name is written x => expression\n");
  EXPECT_EQ(errors("def(1) + ;"), "1:10 ';': an expression after + was expected, not ;\n") << "def may be a function";
  const std::string comment = "a comment is written % like this %\n";
  EXPECT_EQ(errors("x = 1; // the one\ny = 2;"), "1:8 '//': " + comment);
  EXPECT_EQ(errors("/* one\n two; */ y = 2; 3 +;"),
            "1:1 '/*': " + comment + "2:20 ';': an expression after + was expected, not ;\n");
  EXPECT_EQ(errors("# the one that\ny = 2;"), "1:1 '#': " + comment);
  EXPECT_EQ(errors("#!/usr/bin/nesl run\ny = 2;"), "1:1 '#': " + comment);
  EXPECT_EQ(errors("# squares\ny = 2;"), "1:1 '#': " + comment);
  EXPECT_EQ(errors("# a; #words s; #(a b\n); #if c then a else b; #(let v = s in v);"), "");
  EXPECT_EQ(errors("#a or c;\n#a and b nand c;"), "");
  EXPECT_EQ(errors("2**3;"), "1:3 '*': an expression after * was expected, not *\n  x^n is a power of x\n");
  EXPECT_EQ(
      errors("{x + y : x in a, y in b};"),
      "1:20 'in': ; | or } was expected, not in\n  bindings are separated by semicolons: {x + y : x in a; y in b}\n");
}

TEST(ParserErrors, Patterns) {
  EXPECT_EQ(errors("let (x, x) = p in x;"),
            "1:9 'x': x is bound twice in one pattern [pattern]\n"
            "  'x': the first binding\n");
  EXPECT_EQ(errors("{x : x in a; x in b};"),
            "1:14 'x': x is bound twice in one pattern [pattern]\n"
            "  'x': the first binding\n");
  EXPECT_EQ(errors("function g(x, y, x := 3) = 1;"),
            "1:18 'x': x is bound twice in one pattern [pattern]\n  'x': the first binding\n");
  EXPECT_EQ(errors("let [x] = a in x;"), "1:5 '[x]': a pattern cannot take a sequence apart [pattern]\n");
  EXPECT_EQ(errors("3 = x;"), "1:1 '3': a constant cannot be bound: patterns consist of names [pattern]\n");
  EXPECT_EQ(errors("a + b = 3;"), "1:1 'a + b': an expression cannot be bound: patterns consist of names [pattern]\n");
  EXPECT_EQ(errors("a[0] = 3;"),
            "1:1 'a[0]': an expression cannot be bound: patterns consist of names [pattern]\n"
            "  rep(a, value, index) is a copy of a sequence with one element replaced\n");
  EXPECT_EQ(errors("x and y = 3;"),
            "1:1 'x and y': an expression cannot be bound: patterns consist of names [pattern]\n");
  EXPECT_EQ(errors("(1 + x => x);"),
            "1:2 '1 + x': an expression cannot be bound: patterns consist of names [pattern]\n");
}

TEST(ParserErrors, MissingTerminators) {
  const ParseResult joined = read("x = 3\ny = 4;\ng(x)\n(y);\nfunction h(x) = x\nfunction k(x) = x\n");
  EXPECT_EQ(joined.errors,
            "2:1 'y': missing ; or $ before this\n4:1 '(': missing ; or $ before this\n"
            "6:1 'function': missing ; or $ before this\n6:18 '': missing ; or $ at the end\n");
  EXPECT_EQ(joined.statements.size(), 6U);
  EXPECT_EQ(errors("x = 3 +\ny = 4;\nz = 5;"),
            "2:3 '=': an operator, ; or $ was expected, not =\n"
            "  'y': if a statement begins here, the one before it lacks its ; or $\n");
  EXPECT_EQ(errors("x = g(3,\nfunction h(x) = ;"),
            "1:6 '(': this ( is not closed\n  'function': another statement begins here\n"
            "2:17 ';': an expression after = was expected, not ;\n");
  EXPECT_EQ(errors("x = {a : a in b;\nfunction h(x) = x;"),
            "1:5 '{': this { is not closed\n  'function': another statement begins here\n");
  EXPECT_EQ(errors("x = (let a = [if c then 1\nfunction h(x) = x;"),
            "1:15 'if': this if has no else\n  'function': another statement begins here\n");
  EXPECT_EQ(errors("x = if {a in b} then (let c = 1 in c) else 2\nfunction h(x) = x;"),
            "2:1 'function': missing ; or $ before this\n");
  EXPECT_EQ(errors("x = g(3\nfunction h(x) = x;"),
            "1:6 '(': this ( is not closed\n  'function': another statement begins here\n");
  EXPECT_EQ(errors("let x = 3\n y = 4 in x;"),
            "2:2 'y': an operator, a semicolon or in was expected, not y\n"
            "  'let': the let begins here: let name = value; ... in expression\n");
  EXPECT_EQ(errors("load \"x\"\nfunction g(x) = x;"), "2:1 'function': missing ; or $ before this\n");
}

TEST(ParserErrors, ContinuesAfterErrors) {
  const ParseResult result = read(
      "function g(x) =\n"
      "  let y = x + ;\n"
      "      z = {a in [1:2; 3]; b};\n"
      "  in z;\n"
      "h = 1 +; i = 2;\n"
      "function j(x) = {a in x; b\n;\n"
      "k = 3;\n"
      "l = (((;\n"
      "m = \"open;\n");
  EXPECT_EQ(result.errors,
            "2:15 ';': an expression after + was expected, not ;\n"
            "5:8 ';': an expression after + was expected, not ;\n"
            "8:3 '=': an operator, ;, | or } was expected, not =\n"
            "  'k': if a statement begins here, the one before it lacks its ; or $\n"
            "  '{': to close this {\n"
            "9:8 ';': an expression after ( was expected, not ;\n"
            "10:5 '\"': this string has no closing quote\n");
}

TEST(ParserErrors, UnclosedTexts) {
  EXPECT_EQ(errors("x = 1;\n% oops\ny = 2;"), "2:1 '%': this comment is not closed: comments end at the next %\n");
  EXPECT_EQ(errors("a = \"b\nc\"; d = \"e\";\n f = \";\n"),
            "3:6 '\"': this string has no closing quote\n"
            "  '\"b\nc\"': or the one that begins here lacks its closing quote and takes the next string's\n");
  EXPECT_EQ(errors("a = \"b;\nc = \"d\";\n"),
            "2:7 '\"': this string has no closing quote\n"
            "  '\"b;\nc = \"': or the one that begins here lacks its closing quote and takes the next string's\n");
}

TEST(ParserErrors, StopsAfterManyErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1 +;\n";
  const std::string all = errors(text);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 21);
  EXPECT_NE(all.find("21:4 ';': too many errors; the rest is not looked at"), std::string::npos);
}

}  // namespace
}  // namespace nesl::testing

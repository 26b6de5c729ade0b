#include "parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "ast_dump.h"
#include "ast_text.h"
#include "nesl-compiler/session.h"

namespace nesl {
namespace {

struct Result {
  std::vector<Statement> statements;
  /// "line:column 'text': message [code]", the notes behind it, one a line.
  std::string errors;
};

Result read(const std::string& text, ParseOptions options = {}) {
  const vcode::Source source("test", text);
  vcode::Diagnostics diagnostics;
  Result result;
  result.statements = parse(source, options, diagnostics);
  for (const vcode::Diagnostic& d : diagnostics.all()) {
    const vcode::Source::Position at = source.position(d.span.begin);
    result.errors += fmt::format("{}:{} '{}': {}", at.line, at.column, source.text(d.span), d.message);
    if (d.code != "syntax") result.errors += fmt::format(" [{}]", d.code);
    result.errors += '\n';
    for (const vcode::Diagnostic::Note& note : d.notes)
      result.errors += note.located ? fmt::format("  '{}': {}\n", source.text(note.span), note.message)
                                    : fmt::format("  {}\n", note.message);
  }
  for (const Statement& statement : result.statements) EXPECT_EQ(misplaced_part(statement, text), "") << text;
  return result;
}

/// The tree of one statement, or the errors.
std::string tree(const std::string& text, ParseOptions options = {}) {
  const Result result = read(text, options);
  if (!result.errors.empty()) return result.errors;
  std::string all;
  for (const Statement& statement : result.statements) all += (all.empty() ? "" : "; ") + dump(statement);
  return all;
}

/// The tree of an expression.
std::string parsed(const std::string& text) { return tree(text + ";"); }

std::string errors(const std::string& text, ParseOptions options = {}) { return read(text, options).errors; }

constexpr ParseOptions kPrelude{.prelude = true};
constexpr ParseOptions kInteractive{.interactive = true};

// --- expressions --------------------------------------------------------------------------------------------

TEST(Parser, Constants) {
  EXPECT_EQ(parsed("12"), "12");
  EXPECT_EQ(parsed("3."), "3f");
  EXPECT_EQ(parsed(".5e1"), "5f");
  EXPECT_EQ(parsed("3.e2"), "300f");
  EXPECT_EQ(parsed("T"), "true");
  EXPECT_EQ(parsed("f"), "false");
  EXPECT_EQ(parsed("`;"), "(char 59)");
  EXPECT_EQ(parsed("`\xE9"), "(char 233)");
  EXPECT_EQ(parsed("\"a\\\"\\n%;\""), "\"a\\\"\\n%;\"");
  EXPECT_EQ(parsed("FooBar"), "foobar");
  EXPECT_EQ(parsed("'and"), "and");
  EXPECT_EQ(parsed("'->"), "->");
  EXPECT_EQ(parsed("'Foo"), "foo");
}

TEST(Parser, Strengths) {
  EXPECT_EQ(parsed("a + b * c ^ d"), parsed("a + (b * (c ^ d))"));
  EXPECT_EQ(parsed("a ^ b ^ c"), parsed("(a ^ b) ^ c"));
  EXPECT_EQ(parsed("a ++ b + c - d"), parsed("((a ++ b) + c) - d"));
  EXPECT_EQ(parsed("a || b * c / d"), parsed("((a || b) * c) / d"));
  EXPECT_EQ(parsed("a <- b <- c"), parsed("(a <- b) <- c"));
  EXPECT_EQ(parsed("a -> b -> c"), parsed("a -> (b -> c)"));
  EXPECT_EQ(parsed("a <- b -> c ^ d"), parsed("(a <- (b -> c)) ^ d"));
  EXPECT_EQ(parsed("a < b < c == d"), parsed("((a < b) < c) == d"));
  EXPECT_EQ(parsed("a or b and c nor d nand e xor g"), parsed("((a or (b and c)) nor (d nand e)) xor g"));
  EXPECT_EQ(parsed("a and b == c + d"), parsed("a and (b == (c + d))"));
  EXPECT_EQ(parsed("-2^2"), parsed("(-2)^2"));
  EXPECT_EQ(parsed("- - 3"), "(call negate (call negate 3))");
  EXPECT_EQ(parsed("2 - -3"), "(call - (pair 2 (call negate 3)))");
  EXPECT_EQ(parsed("#a -> b"), parsed("(#a) -> b"));
  EXPECT_EQ(parsed("-a[0]"), parsed("-(a[0])"));
  EXPECT_EQ(parsed("@a ++ b"), "(call ++ (pair (call @ a) b))");
  EXPECT_EQ(parsed("a, b, c"), "(pair a (pair b c))");
  EXPECT_EQ(parsed("(a, b), c"), "(pair (pair a b) c)");
  EXPECT_EQ(parsed("not a == b"), parsed("(not a) == b"));
}

TEST(Parser, Applications) {
  EXPECT_EQ(parsed("g(x)"), "(call g x)");
  EXPECT_EQ(parsed("g x"), "(call g x)");
  EXPECT_EQ(parsed("g(x, y)"), "(call g (pair x y))");
  EXPECT_EQ(parsed("g((x, y), z)"), "(call g (pair (pair x y) z))");
  EXPECT_EQ(parsed("g a[1]"), parsed("(g a)[1]"));
  EXPECT_EQ(parsed("g(x)(y)[0]"), "(call elt (pair (call (call g x) y) 0))");
  EXPECT_EQ(parsed("g x y"), "(call (call g x) y)");
  EXPECT_EQ(parsed("g -3"), "(call - (pair g 3))");
  EXPECT_EQ(parsed("g #a + 1"), parsed("g(#a) + 1"));
  EXPECT_EQ(parsed("g @a[0]"), parsed("g(@(a[0]))"));
  EXPECT_EQ(parsed("g if t then 1 else 2"), "(call g (if true 1 2))");
  EXPECT_EQ(parsed("a[i, j]"), "(call elt (pair a (pair i j)))");
  EXPECT_EQ(parsed("3(4)"), "(call 3 4)");
  EXPECT_EQ(parsed("'+(1, 2)"), parsed("1 + 2"));
  EXPECT_EQ(parsed("g(1, z := 5, y := a => b)"), "(call g (pair 1 (pair (:= z 5) (:= y (=> a b)))))");
  EXPECT_EQ(parsed("g(z := 5)"), "(call g (:= z 5))");
}

TEST(Parser, FormsThatReachFar) {
  EXPECT_EQ(parsed("if c then 1 else 2, 3"), "(if c 1 (pair 2 3))");
  EXPECT_EQ(parsed("if c, d then 1, 2 else 3"), "(if (pair c d) (pair 1 2) 3)");
  EXPECT_EQ(parsed("1 + if c then 2 else 3 * 4"), parsed("1 + (if c then 2 else (3 * 4))"));
  EXPECT_EQ(parsed("-if c then 1 else 2"), "(call negate (if c 1 2))");
  EXPECT_EQ(parsed("let x = 1 in x, 4"), "(let ( x 1) (pair x 4))");
  EXPECT_EQ(parsed("let x = 1; (y, z) = 2, 3; in x"), "(let ( x 1)( (pair y z) (pair 2 3)) x)");
  EXPECT_EQ(parsed("let p(a, b) = c in a"), "(let ( (data p (pair a b)) c) a)");
  EXPECT_EQ(parsed("x => x + 1, 2"), "(pair (=> x (call + (pair x 1))) 2)");
  EXPECT_EQ(parsed("(x, y) => z => x"), "(=> (pair x y) (=> z x))");
  EXPECT_EQ(parsed("1, x => x"), "(pair 1 (=> x x))");
  EXPECT_EQ(parsed("time(1, 2)"), "(time (pair 1 2))");
  EXPECT_EQ(parsed("first(time(3))"), "(call first (time 3))");
  EXPECT_EQ(parsed("closure('+, 1)"),
            "(let ( (closure value) 1) (=> (closure argument) (call + (pair (closure value) (closure argument)))))");
}

TEST(Parser, Sequences) {
  EXPECT_EQ(parsed("[1]"), "[ 1 ]");
  EXPECT_EQ(parsed("[1, (2, 3), x => x]"), "[ 1 (pair 2 3) (=> x x) ]");
  EXPECT_EQ(parsed("[s:e]"), "(call iseq (pair s (pair 1 e)))");
  EXPECT_EQ(parsed("[s:e:-1]"), "(call iseq (pair s (pair (call negate 1) e)))");
  EXPECT_EQ(parsed("[] int"), "([] int)");
  EXPECT_EQ(parsed("[[] int, [1]]"), "[ ([] int) [ 1 ] ]");
  EXPECT_EQ(parsed("[] [(a, b -> c)] ++ d"), "(call ++ (pair ([] (sequence (pair a (-> b c)))) d))");
  EXPECT_EQ(parsed("[] box(int, a)"), "([] (apply box (pair int a)))");
  EXPECT_EQ(parsed("\"abc\"[1]"), "(call elt (pair \"abc\" 1))");
}

TEST(Parser, ApplyToEach) {
  EXPECT_EQ(parsed("{x + y : x in a; y in b | x > y}"), "(each (call + (pair x y)) ( x a)( y b) (call > (pair x y)))");
  EXPECT_EQ(parsed("{a}"), "(each a ( a a))");
  EXPECT_EQ(parsed("{a; b}"), "(each a ( a a)( b b))");
  EXPECT_EQ(parsed("{a | c}"), "(each a ( a a) c)");
  EXPECT_EQ(parsed("{x + y : x; y in b}"), "(each (call + (pair x y)) ( x x)( y b))");
  EXPECT_EQ(parsed("{x in a}"), "(each x ( x a))");
  EXPECT_EQ(parsed("{x, p(y) in a; z}"), "(each (pair x (call p y)) ( (pair x (data p y)) a)( z z))");
  EXPECT_EQ(parsed("{x, y : x in a; y in b}"), "(each (pair x y) ( x a)( y b))");
  EXPECT_EQ(parsed("{* x : x in a}"), "(each* x ( x a))");
  EXPECT_EQ(parsed("{let y = x in y, 1 : x in a}"), "(each (let ( y x) (pair y 1)) ( x a))");
  EXPECT_EQ(parsed("{x in let y = a; z = b in y; w in c}"), "(each x ( x (let ( y a)( z b) y))( w c))");
  EXPECT_EQ(parsed("count {x in a}"), "(call count (each x ( x a)))");
}

// --- statements ---------------------------------------------------------------------------------------------

TEST(Parser, Functions) {
  EXPECT_EQ(tree("function Foo(X, (y, z)) = x;"), "(function foo (pair x (pair y z)) \"\" x)");
  EXPECT_EQ(tree("function foo x = x;"), "(function foo x \"\" x)");
  EXPECT_EQ(tree("function foo(pt(a, b), c) : (int, [a]) -> int -> b :: (a in number; b in any) \"doc\" = a;"),
            "(function foo (pair (data pt (pair a b)) c) : (-> (pair int (sequence a)) (-> int b)) (a in number) "
            "(b in any) \"doc\" a)");
  EXPECT_EQ(tree("function foo(x, y := 3, z := (1, 2)) \"doc\" = x;"),
            "(function foo (pair x (pair y z))(:= y 3)(:= z (pair 1 2)) \"doc\" x)");
  EXPECT_EQ(tree("function foo(x) : int -> int;"), "(function foo  : (-> int int) \"\")");
}

TEST(Parser, Datatypes) {
  EXPECT_EQ(tree("datatype point(int, int);"), "(datatype point : (pair int int) \"\")");
  EXPECT_EQ(tree("datatype c float, float;"), "(datatype c : (pair float float) \"\")");
  EXPECT_EQ(tree("datatype box([a]) :: (a in any) \"a box\";"), "(datatype box : (sequence a) (a in any) \"a box\")");
  EXPECT_EQ(tree("datatype bar(a, b) :: a in any; b in number; x;"),
            "(datatype bar : (pair a b) (a in any) (b in number) \"\"); x");
}

TEST(Parser, Values) {
  EXPECT_EQ(tree("x, (y, z) = 3, (4, 5);"), "(= (pair x (pair y z)) (pair 3 (pair 4 5)))");
  EXPECT_EQ(tree("point(a, b) = p$"), "(= (data point (pair a b)) p)");
  EXPECT_EQ(tree("x |= 3;"), "(= x 3)");
  EXPECT_EQ(tree("1; 2 $ ; 3;"), "1; 2; 3");
  EXPECT_EQ(tree(" % nothing % "), "");
}

TEST(Parser, Commands) {
  EXPECT_EQ(tree("load \"a;b\" , verbose := t ;"), "(command load \"a;b\" , verbose := t)");
  EXPECT_EQ(tree("?; help; describe +; SET arg_check off$"),
            "(command ?); (command help); (command describe +); (command SET arg_check off)");
  EXPECT_EQ(tree("defconfig local,\n  memory_size := 1000;"), "(command defconfig local,\n  memory_size := 1000)");
  EXPECT_EQ(tree("x = get(a, i);"), "(= x (call get (pair a i)))");
  EXPECT_EQ(tree("get(a, i); set = 3; load, show = 1, 2;"),
            "(call get (pair a i)); (= set 3); (= (pair load show) (pair 1 2))");
}

TEST(Parser, Prelude) {
  EXPECT_EQ(tree("primitive + : (a, a) -> a :: (a in number) \"sum\" = \"+\";", kPrelude),
            "(primitive + : (-> (pair a a) a) (a in number) \"sum\" \"+\")");
  EXPECT_EQ(tree("primitive serial read_char : stream -> char;", kPrelude),
            "(primitive serial read_char : (-> stream char) \"\" \"\")");
  EXPECT_EQ(
      tree("primitive '<- : a -> a; primitive and : a -> a; primitive = : a -> a; primitive # : a -> a;", kPrelude),
      "(primitive <- : (-> a a) \"\" \"\"); (primitive and : (-> a a) \"\" \"\"); "
      "(primitive = : (-> a a) \"\" \"\"); (primitive # : (-> a a) \"\" \"\")");
  EXPECT_EQ(tree("specialize eql(a, b) : ([c], [c]) -> bool :: (c in any) = t;", kPrelude),
            "(specialize eql (pair a b) : (-> (pair (sequence c) (sequence c)) bool) (c in any) \"\" true)");
  EXPECT_EQ(tree("function + (x, y) = x; primitive = 3; function get(x) = x;", kPrelude),
            "(function + (pair x y) \"\" x); (= primitive 3); (function get x \"\" x)");
  EXPECT_EQ(tree("specialize = primitive;"), "(= specialize primitive)");
}

TEST(Parser, Interactive) {
  EXPECT_EQ(tree("1;   2; \"", kInteractive), "1");
  EXPECT_EQ(tree("1; rest\n2; % rest", kInteractive), "1; 2");
  EXPECT_EQ(errors("1 +; 2 +;", kInteractive), "1:4 ';': an expression after + was expected, not ;\n");
}

// --- spans --------------------------------------------------------------------------------------------------

TEST(Parser, Fields) {
  EXPECT_EQ(parsed("p.x"), "(.x p)");
  EXPECT_EQ(parsed("P . X"), "(.x p)");
  EXPECT_EQ(parsed("p.x.y + 1"), "(call + (pair (.y (.x p)) 1))");
  EXPECT_EQ(parsed("g(a).x"), "(.x (call g a))");
  EXPECT_EQ(parsed("g a.x"), "(call g (.x a))") << "binds more tightly than an application without parentheses";
  EXPECT_EQ(parsed("a[i].x"), "(.x (call elt (pair a i)))");
  EXPECT_EQ(parsed("a.x[i]"), "(call elt (pair (.x a) i))");
  EXPECT_EQ(parsed("a.g(i)"), "(call (.g a) i)");
  EXPECT_EQ(parsed("-p.x"), "(call negate (.x p))");
  EXPECT_EQ(parsed("#p.t"), "(call # (.t p))");
  EXPECT_EQ(parsed("p.x -> q.y"), "(call -> (pair (.x p) (.y q)))");
  EXPECT_EQ(parsed("(3).x"), "(.x 3)");
  EXPECT_EQ(parsed("g .5"), "(call g 0.5f)") << "a point before a digit begins a number";
  EXPECT_EQ(parsed("{p.x : p in q.ps}"), "(each (.x p) ( p (.ps q)))");
}

TEST(Parser, TypesOfParameters) {
  EXPECT_EQ(tree("function g(x : int) = x;"), "(function g (: x int) result \"\" x)");
  EXPECT_EQ(
      tree("function g(x : int, s : [a], h : a -> a) : [a] :: (a in any) = s;"),
      "(function g (pair (: x int) (pair (: s (sequence a)) (: h (-> a a)))) result : (sequence a) (a in any) \"\" s)");
  EXPECT_EQ(tree("function g((x, y) : (int, int), z) = z;"),
            "(function g (pair (: (pair x y) (pair int int)) z) result \"\" z)");
  EXPECT_EQ(tree("function g((x, y) : (int, int)) :: (a in any) = x;"),
            "(function g (: (pair x y) (pair int int)) result :  (a in any) \"\" x)");
  EXPECT_EQ(tree("function g(x : float, w : float := 2.0) = x;"),
            "(function g (pair (: x float) (: w float))(:= w 2f) result \"\" x)");
  EXPECT_EQ(tree("function g(n : int, m : float) : bool;"), "(function g  : (-> (pair int float) bool) \"\")");
}

TEST(Parser, DatatypesWithFields) {
  EXPECT_EQ(tree("datatype p(x : float, y : float);"), "(datatype p .x .y : (pair float float) \"\")");
  EXPECT_EQ(tree("datatype p(x : (int, int), s : [a], T : a -> a) :: (a in any) \"doc\";"),
            "(datatype p .x .s .t : (pair (pair int int) (pair (sequence a) (-> a a))) (a in any) \"doc\")");
  EXPECT_EQ(tree("datatype b(value : (int, int));"), "(datatype b .value : (pair int int) \"\")");
}

TEST(Parser, TruthValuesAsVariables) {
  EXPECT_EQ(parsed("let f = 3; (t, x) = p in f"), "(let ( f 3)( (pair t x) p) false)");
  EXPECT_EQ(parsed("{F : f in s}"), "(each false ( f s))");
  EXPECT_EQ(parsed("{t + 1 : t}"), "(each (call + (pair true 1)) ( t true))");
  EXPECT_EQ(parsed("f => f(1)"), "(=> f (call false 1))");
  EXPECT_EQ(tree("function g(f, t := 2) = f(t);"), "(function g (pair f t)(:= t 2) \"\" (call false true))");
}

TEST(Parser, Spans) {
  const std::string text = "z = (a + b) * -c[i] ;";
  const Result result = read(text);
  const auto spelled = [&](Span span) { return text.substr(span.begin, span.end - span.begin); };
  EXPECT_EQ(spelled(result.statements[0].span), "z = (a + b) * -c[i]");
  const auto& value = std::get<ValueStatement>(result.statements[0].node);
  EXPECT_EQ(spelled(value.pattern->span), "z");
  EXPECT_EQ(spelled(value.value->span), "(a + b) * -c[i]");
  const auto& product = std::get<Call>(value.value->node);
  EXPECT_EQ(spelled(product.function->span), "*");
  EXPECT_EQ(spelled(product.argument->span), "(a + b) * -c[i]");
  const auto& factors = std::get<Pair>(product.argument->node);
  EXPECT_EQ(spelled(factors.first->span), "a + b");
  EXPECT_EQ(spelled(factors.rest->span), "-c[i]");
  const auto& negation = std::get<Call>(factors.rest->node);
  EXPECT_EQ(spelled(negation.function->span), "-");
  EXPECT_EQ(spelled(negation.argument->span), "c[i]");
  EXPECT_EQ(spelled(std::get<Call>(negation.argument->node).function->span), "[i]");
}

TEST(Parser, SpansOfTuplesAndNames) {
  const std::string text = "g((x, y) , z);";
  const Result result = read(text);
  const auto spelled = [&](Span span) { return text.substr(span.begin, span.end - span.begin); };
  const auto& call = std::get<Call>(std::get<ValueStatement>(result.statements[0].node).value->node);
  EXPECT_EQ(spelled(call.argument->span), "(x, y) , z");
  EXPECT_EQ(spelled(std::get<Pair>(call.argument->node).first->span), "x, y");
}

// --- errors -------------------------------------------------------------------------------------------------

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
      "  it is a truth value; only parameters, fields and the variables of let, { } and => may be called t or f\n";
  const std::string words =
      "  any other name can be defined, those of the library too; reserved are if then else let in function datatype "
      "closure pair defconfig t f time and or nand nor xor\n";
  EXPECT_EQ(errors("t = 5;"), "1:1 't': t is reserved and cannot be defined [reserved]\n" + truth_values);
  EXPECT_EQ(errors("(x, f) = p;"), "1:5 'f': f is reserved and cannot be defined [reserved]\n" + truth_values);
  EXPECT_EQ(errors("time = 3;"), "1:1 'time': time is reserved; it is used as time(expression) [reserved]\n");
  EXPECT_EQ(errors("in = 3;"), "1:1 'in': in is reserved and cannot be a name [reserved]\n");
  EXPECT_EQ(errors("function f(x) = x;"), "1:10 'f': f is reserved and cannot be defined [reserved]\n" + truth_values);
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
  const Result joined = read("x = 3\ny = 4;\ng(x)\n(y);\nfunction h(x) = x\nfunction k(x) = x\n");
  EXPECT_EQ(joined.errors,
            "2:1 'y': missing ; or $ before this\n4:1 '(': missing ; or $ before this\n"
            "6:1 'function': missing ; or $ before this\n6:18 '': missing ; or $ at the end\n");
  EXPECT_EQ(joined.statements.size(), 6U);
  EXPECT_EQ(errors("x = 3 +\ny = 4;\nz = 5;"),
            "2:3 '=': an operator, ; or $ was expected, not =\n"
            "  'y': if a statement begins here, the one before it lacks its ; or $\n");
  EXPECT_EQ(errors("x = g(3,\nfunction h(x) = ;"),
            "2:1 'function': missing ; or $ before this\n"
            "2:17 ';': an expression after = was expected, not ;\n");
  EXPECT_EQ(errors("x = g(3\nfunction h(x) = x;"),
            "1:6 '(': this ( is not closed\n  'function': another statement begins here\n");
  EXPECT_EQ(errors("let x = 3\n y = 4 in x;"),
            "2:2 'y': an operator, a semicolon or in was expected, not y\n"
            "  'let': the let begins here: let name = value; ... in expression\n");
  EXPECT_EQ(errors("load \"x\"\nfunction g(x) = x;"), "2:1 'function': missing ; or $ before this\n");
}

TEST(ParserErrors, GoesOnBehindErrors) {
  const Result result = read(
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
  EXPECT_EQ(
      errors("a = \"b\nc\"; d = \"e\";\n f = \";\n"),
      "3:2 'f': f is reserved and cannot be defined [reserved]\n"
      "  it is a truth value; only parameters, fields and the variables of let, { } and => may be called t or f\n");
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

// --- any size -----------------------------------------------------------------------------------------------

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// Sanitizers make stack frames many times larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

TEST(Parser, DeepNesting) {
  constexpr int kDepth = kSanitized ? 10'000 : 100'000;
  const std::pair<const char*, const char*> shapes[] = {
      {"(", ")"},
      {"[", "]"},
      {"g(", ")"},
      {"- ", ""},
      {"if t then ", " else 0"},
      {"let x = ", " in x"},
      {"x => ", ""},
      {"a -> ", ""},
      {"0, ", ""},
      {"{", " : x in a}"},
      {"{x in ", "}"},
      {"a[", "]"},
      {"closure(g, ", ")"},
      {"time(", ")"},
      {"", " + 1"},
      {"", "(1)"},
      {"", "[1]"},
      {"g(x := ", ")"},
  };
  run_with_deep_stack([&] {
    for (const auto& [before, after] : shapes) {
      const Result result = read(repeated(before, kDepth) + "1" + repeated(after, kDepth) + ";");
      EXPECT_EQ(result.errors, "") << before;
      ASSERT_EQ(result.statements.size(), 1U) << before;
      EXPECT_FALSE(to_text(*std::get<ValueStatement>(result.statements[0].node).value).empty());
    }
    EXPECT_EQ(errors("[] " + repeated("[", kDepth) + "int" + repeated("]", kDepth) + ";"), "");
    EXPECT_EQ(errors("let " + repeated("(", kDepth) + "x" + repeated(")", kDepth) + " = 1 in x;"), "");
  });
}

TEST(Parser, DeeperThanTheLimit) {
  if (kSanitized) GTEST_SKIP() << "the stack would not fit the machine";
  run_with_deep_stack([&] {
    for (const char* shape : {"(", "1 + ", "g "}) {
      const std::string all = errors(repeated(shape, 1'000'001));
      EXPECT_NE(all.find("nested more than 1000000 levels deep"), std::string::npos) << shape;
      EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << shape;
    }
  });
}

TEST(Parser, LongLiteral) {
  const Result result = read(fmt::format("[{}2];", repeated("1, ", 1'000'000)));
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(std::get<SequenceLiteral>(std::get<ValueStatement>(result.statements[0].node).value->node).elements.size(),
            1'000'001U);
}

// --- printing -----------------------------------------------------------------------------------------------

TEST(AstText, FewParentheses) {
  for (const char* text : {"a + b * c",
                           "(a + b) * c",
                           "a - (b - c)",
                           "a - b - c",
                           "a -> b -> c",
                           "(a -> b) -> c",
                           "-2 ^ 2",
                           "-(2 ^ 2)",
                           "--3",
                           "#a[0]",
                           "(#a)[0]",
                           "g(a)(b)[i, j]",
                           "(a, b), c",
                           "a, b, c",
                           "g((a, b), c)",
                           "g(1, y := 2, z := x => x)",
                           "if c then 1, 2 else 3, 4",
                           "(if c then 1 else 2) + 3",
                           "1 + if c then 2 else 3",
                           "(if c then 1 else 2), 3",
                           "(1 + if c then 2 else 3) * 4",
                           "[(if c then 1 else 2), 3]",
                           "[1, if c then 2 else 3]",
                           "(let x = 1 in x)(2)",
                           "let x, y = 1, 2; p(z) = q in x",
                           "x => y => x, 2",
                           "(x => x)(3)",
                           "((x, y) => x, 1), 2",
                           "(x => x) + 1",
                           "[s : e]",
                           "[s : e : -1]",
                           "[(a, b) : c]",
                           "([] int)[0]",
                           "[] (int, a -> [b]) ++ c",
                           "[] box(int, a)",
                           "{x + y : x in a; y in b | x > y}",
                           "{* x => x : x, y in a}",
                           "{if c then 1 else 2 : x in a | t}",
                           "'+",
                           "'and",
                           "scan('+, 0, a)",
                           "time(1, 2)",
                           "closure('+, 1)",
                           "closure(x => x, a, b) + 1",
                           "`;",
                           "\"a\\\"\\\\\"",
                           "1.5",
                           "2.0",
                           "1e+300",
                           "g(if c then 1 else 2, 3)",
                           "-if c then 1 else 2",
                           "'- + '-",
                           "a and b or c",
                           "a and (b or c)"}) {
    const Result result = read(std::string(text) + ";");
    EXPECT_EQ(result.errors, "") << text;
    ASSERT_EQ(result.statements.size(), 1U) << text;
    EXPECT_EQ(to_text(*std::get<ValueStatement>(result.statements[0].node).value), text);
  }
}

/// Prints what was read and reads it again: the tree must be the same.
void check_round_trip(const std::string& text, ParseOptions options) {
  const Result result = read(text, options);
  for (const Statement& statement : result.statements) {
    if (std::holds_alternative<PrimitiveStatement>(statement.node) ||
        std::holds_alternative<CommandStatement>(statement.node))
      continue;
    const std::string printed = source_text(statement);
    EXPECT_EQ(tree(printed, options), dump(statement)) << printed;
  }
}

TEST(Printing, NamesThatBeginOtherStatements) {
  // Each is a value statement in all three dialects, but would not be without the parentheses.
  for (std::string_view text : {"(primitive) + 1", "(primitive x)", "(specialize(x))", "(set) - 3", "(load, x) = a",
                                "(primitive, x) = a", "(help x)", "(primitive)", "(get) = 2"}) {
    for (ParseOptions options : {ParseOptions{}, kPrelude, kInteractive}) {
      const std::string statement = std::string(text) + ";";
      EXPECT_EQ(errors(statement, options), "") << text;
      check_round_trip(statement, options);
    }
  }
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Corpus, CasesOfTheLanguage) {
  std::istringstream lines(contents(NESL_CASES));
  std::string statement, line;
  int statements = 0;
  // An error belongs to the statement before it.
  const auto check = [&](std::string_view expected) {
    if (statement.empty()) return;
    ++statements;
    const vcode::Source source("case", statement);
    vcode::Diagnostics diagnostics;
    parse(source, kInteractive, diagnostics);
    const std::string found = diagnostics.has_errors() ? diagnostics.all()[0].code : "";
    // Redefining what the prelude defines is reserved, too, but not the parser's business.
    // And what [] holds is inferred.
    if ((expected == "syntax" || expected == "pattern") && statement != "[];")
      EXPECT_EQ(found, expected) << statement;
    else
      EXPECT_TRUE(found.empty() || found == expected) << statement << "\n" << render(source, diagnostics);
    check_round_trip(statement, kInteractive);
    statement.clear();
  };
  while (std::getline(lines, line)) {
    if (line.starts_with("> ")) {
      check("");
      statement = line.substr(2);
    } else if (line.starts_with("! ")) {
      check(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  check("");
  EXPECT_EQ(statements, 1099);
}

TEST(Corpus, PreludeAndExamples) {
  int files = 0;
  for (const auto& [folder, options] :
       {std::pair{std::filesystem::path(NESL_PRELUDE), kPrelude}, {std::filesystem::path(NESL_EXAMPLES), {}}})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".nesl") continue;
      ++files;
      EXPECT_EQ(errors(contents(entry.path()), options), "") << entry.path();
      check_round_trip(contents(entry.path()), options);
    }
  EXPECT_GT(files, 20);
}

}  // namespace
}  // namespace nesl

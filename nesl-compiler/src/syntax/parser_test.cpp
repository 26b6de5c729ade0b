#include "parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "ast_text.h"
#include "nesl-compiler/session.h"
#include "parser_testing.h"

namespace nesl::testing {
namespace {

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

TEST(Parser, FormsExtendToTheRight) {
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
  EXPECT_EQ(tree("primitive rem : a -> a = \"%\" \"Divide by zero.\";", kPrelude),
            "(primitive rem : (-> a a) \"\" \"%\" \"Divide by zero.\")");
  EXPECT_EQ(tree("specialize eql(a, b) : ([c], [c]) -> bool :: (c in any) = t;", kPrelude),
            "(specialize eql (pair a b) : (-> (pair (sequence c) (sequence c)) bool) (c in any) \"\" true)");
  EXPECT_EQ(tree("function + (x, y) = x; primitive = 3; function get(x) = x;", kPrelude),
            "(function + (pair x y) \"\" x); (= primitive 3); (function get x \"\" x)");
  EXPECT_EQ(tree("specialize = primitive;"), "(= specialize primitive)");
}

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

// --- spans --------------------------------------------------------------------------------------------------

TEST(Parser, Spans) {
  const std::string text = "z = (a + b) * -c[i] ;";
  const ParseResult result = read(text);
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
  const ParseResult result = read(text);
  const auto spelled = [&](Span span) { return text.substr(span.begin, span.end - span.begin); };
  const auto& call = std::get<Call>(std::get<ValueStatement>(result.statements[0].node).value->node);
  EXPECT_EQ(spelled(call.argument->span), "(x, y) , z");
  EXPECT_EQ(spelled(std::get<Pair>(call.argument->node).first->span), "x, y");
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
      const ParseResult result = read(repeated(before, kDepth) + "1" + repeated(after, kDepth) + ";");
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
  const ParseResult result = read(fmt::format("[{}2];", repeated("1, ", 1'000'000)));
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(std::get<SequenceLiteral>(std::get<ValueStatement>(result.statements[0].node).value->node).elements.size(),
            1'000'001U);
}

// --- tests and benchmarks -----------------------------------------------------------------------------------

TEST(Parser, Tests) {
  EXPECT_EQ(tree("test \"a\" = 1 == 2;"), "(test \"a\" (call == (pair 1 2)))");
  EXPECT_EQ(tree("TEST \"a\" FOR s : [int] = g(s);"), "(test \"a\" (: s (sequence int)) (call g s))");
  EXPECT_EQ(tree("test \"a\" for s : [int], (x, y) : (int, float) | #s > x = t;"),
            "(test \"a\" (pair (: s (sequence int)) (: (pair x y) (pair int float))) (| (call > (pair (call # s) x))) "
            "true)");
  EXPECT_EQ(errors("test \"a\" for s = g(s);"),
            "1:16 '=': an operator or : and the type of the variable was expected, not =\n  == compares\n");
  EXPECT_EQ(errors("test \"a\" for s : int, s : int = t;"),
            "1:23 's': s is bound twice in one pattern [pattern]\n  's': the first binding\n");
  EXPECT_EQ(errors("test \"a\" for s : int;"), "1:21 ';': ->, a comma, | or = was expected, not ;\n");
}

TEST(Parser, Benchmarks) {
  EXPECT_EQ(tree("bench \"a\" = g(1);"), "(bench \"a\"  (call g 1))");
  EXPECT_EQ(tree("bench \"a\" for n in [1K, 2m]; s, k = h(n); v = 1 = g(s);"),
            "(bench \"a\" (for n [ 1000 2000000 ])( (pair s k) (call h n))( v 1) (call g s))");
  EXPECT_EQ(errors("bench \"a\" for (n, m) in s = t;"),
            "1:16 'n, m': the size of a benchmark is one name: for n in [1K, 10K, 1M]\n");
  EXPECT_EQ(errors("bench \"a\" for n in s; n = 1 = t;"),
            "1:23 'n': n is bound twice in one pattern [pattern]\n  'n': the first binding\n");
}

TEST(Parser, TruthValuesNameFunctionsAndVariables) {
  EXPECT_EQ(tree("function f(t) = f(t); T = 1; (f, x) = p; f |= 2;"),
            "(function f t \"\" (call false true)); (= t 1); (= (pair f x) p); (= f 2)");
  EXPECT_EQ(errors("datatype t(int);").substr(0, 14), "1:10 't': t is");
}

TEST(Parser, TestAndBenchAreNamesElsewhere) {
  for (const char* name : {"test", "bench", "for"}) {
    EXPECT_EQ(
        tree(fmt::format("function {0}(x) = x; {0} = {0}(1); {0} \"a\"; {{{0} : {0} in s}};", name)),
        fmt::format("(function {0} x \"\" x); (= {0} (call {0} 1)); (call {0} \"a\"); (each {0} ( {0} s))", name));
  }
  EXPECT_EQ(tree("test \"a\" ++ \"b\"; (test, bench) = 1;"),
            "(call ++ (pair (call test \"a\") \"b\")); (= (pair test bench) 1)");
}

TEST(Parser, IntsInThousands) {
  EXPECT_EQ(parsed("[1K, 20M, 3G, 1k, 1m, 1g]"), "[ 1000 20000000 3000000000 1000 1000000 1000000000 ]");
  EXPECT_EQ(errors("1Kb;"), "1:1 '1Kb': malformed number 1Kb: a name cannot begin with a digit\n");
  EXPECT_EQ(errors("1.5K;"), "1:1 '1.5K': malformed number 1.5K: a name cannot begin with a digit\n");
}

}  // namespace
}  // namespace nesl::testing

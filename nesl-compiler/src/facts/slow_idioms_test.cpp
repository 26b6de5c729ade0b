#include "slow_idioms.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "nesl-compiler/session.h"
#include "session_testing.h"

namespace nesl {
namespace {

/// Place and first words of the advice for each slow idiom that the last statement of a text reaches.
std::vector<std::string> idioms(const std::string& text) {
  std::vector<std::string> found;
  run_with_deep_stack([&] {
    Session session;
    const base::Source& source = session.add_source("test", text);
    base::Diagnostics diagnostics;
    const std::optional<Unit> last = read_all(session, source, diagnostics);
    ASSERT_TRUE(last && !diagnostics.has_errors()) << render(source, diagnostics);
    const std::optional<Compiled> compiled = session.compile(*last, true, diagnostics);
    ASSERT_TRUE(compiled) << render(source, diagnostics);
    for (const SlowIdiom& idiom : compiled->slow_idioms) {
      EXPECT_EQ(idiom.file, "test");
      found.push_back(
          fmt::format("{}:{} {}", idiom.line, idiom.column, idiom.advice.substr(0, idiom.advice.find(' '))));
    }
  });
  return found;
}

using Found = std::vector<std::string>;

/// The idiom of an expression in which s is [int], places [int], rows [[int]] and f a function of ints.
Found idioms_of(const std::string& expression) {
  return idioms("function f(x) = x * 2;\ns = [3, 1, 2]; places = {mod(x, 3) : x in s}; rows = [s, s];\n" + expression +
                ";");
}

TEST(SlowIdioms, OneElementOfASortedSequence) {
  const Found sorts = {"3:1 sorts"};
  EXPECT_EQ(idioms_of("sort(s)[0]"), sorts);
  EXPECT_EQ(idioms_of("reverse(sort(s))[1]"), sorts);
  EXPECT_EQ(idioms_of("let sorted = sort(s) in sorted[#s / 2]"), Found{"3:25 sorts"});
  EXPECT_EQ(idioms_of("{sort(row)[0] : row in rows}"), Found{"3:2 sorts"});
  EXPECT_EQ(idioms_of("{sort(row)[#row / 2] : row in rows}"), Found()) << "rows may be short";
}

TEST(SlowIdioms, FewElementsOfASortedSequence) {
  EXPECT_EQ(idioms_of("take(reverse(sort(s)), 2)"), Found{"3:1 sorts"});
  EXPECT_EQ(idioms_of("take(sort(s), #s / 2)"), Found());
  EXPECT_EQ(idioms_of("{take(sort(row), 2) : row in rows}"), Found()) << "rows may be short";
}

TEST(SlowIdioms, ASortedSequenceThatIsReadOften) {
  EXPECT_EQ(idioms_of("let sorted = sort(s) in (sorted[0], sorted)"), Found());
  EXPECT_EQ(idioms_of("let sorted = sort(s) in {sorted[i] : i in places}"), Found());
  EXPECT_EQ(idioms_of("let sorted = s in sorted[0]"), Found());
  EXPECT_EQ(idioms("function sort(s) = s; sort([2, 1])[0];"), Found()) << "not the sort of the library";
}

TEST(SlowIdioms, GroupsThatAreCounted) {
  EXPECT_EQ(idioms_of("{(k, #ones) : (k, ones) in collect({(x, 1) : x in s})}"), Found{"3:1 moves"});
  EXPECT_EQ(idioms_of("let groups = collect({(x, x) : x in s}) in {k : (k, v) in groups | #v > 1}"),
            Found{"3:44 moves"});
  EXPECT_EQ(idioms_of("{(k, sum(v) / #v) : (k, v) in collect({(x, x) : x in s})}"), Found());
}

TEST(SlowIdioms, SearchesForEachElement) {
  EXPECT_EQ(idioms_of("{x in s | contains(places, x)}"), Found{"3:11 compares"});
  EXPECT_EQ(idioms_of("{find(x, places) : x in s}"), Found{"3:2 compares"});
  EXPECT_EQ(idioms_of("{any({x == y : y in places}) : x in s}"), Found{"3:2 compares"});
  EXPECT_EQ(idioms_of("{any({eql(row, other) : other in [s, places]}) : row in rows}"), Found()) << "a constant";
  EXPECT_EQ(idioms_of("let all = {s : x in s} in {any({eql(row, other) : other in all}) : row in rows}"),
            Found{"3:28 compares"});
}

TEST(SlowIdioms, SearchesThatAreFew) {
  EXPECT_EQ(idioms_of("contains(s, 2)"), Found());
  EXPECT_EQ(idioms_of("{contains(row, 2) : row in rows}"), Found()) << "each row once";
  EXPECT_EQ(idioms_of("{x in s | contains([1, 2, 3], x)}"), Found()) << "a constant";
  EXPECT_EQ(idioms("vowels = \"aeiou\"; {c in \"text\" | contains(vowels, c)};"), Found()) << "characters";
  EXPECT_EQ(idioms("few = [1, 2]; {x in [1, 3] | contains(few, x)};"), Found()) << "a constant";
  EXPECT_EQ(idioms_of("{row in rows | contains(s, row)}"), Found()) << "a search for parts";
  EXPECT_EQ(idioms_of("{any({x < y : y in places}) : x in s}"), Found());
}

TEST(SlowIdioms, SequencesOfNoneOrOne) {
  EXPECT_EQ(idioms_of("flatten({if x > 1 then [f(x)] else [] int : x in s})"), Found{"3:1 makes"});
  EXPECT_EQ(idioms_of("flatten({if x > 1 then [x, x] else [] int : x in s})"), Found());
  EXPECT_EQ(idioms_of("flatten({[x] : x in s})"), Found());
}

TEST(SlowIdioms, OneElementAfterTheOther) {
  EXPECT_EQ(idioms_of("map(f, s)"), Found{"3:1 calls"});
  EXPECT_EQ(idioms_of("map(x => x + s[0], s)"), Found{"3:1 calls"});
  EXPECT_EQ(idioms_of("{* f(x) : x in s}"), Found{"3:1 calls"});
}

TEST(SlowIdioms, OrderIsNeeded) {
  EXPECT_EQ(idioms_of("map(x => print_line(@x), s)"), Found());
  EXPECT_EQ(idioms_of("{* print(x) : x in s}"), Found());
  EXPECT_EQ(idioms_of("{* time(f(x)) : x in s}"), Found());
  EXPECT_EQ(idioms_of("{* rand(x) : x in s}"), Found());
}

TEST(SlowIdioms, RecursionOverTheRest) {
  const std::string last = " s = [1, 2, 3]; last(s);";
  EXPECT_EQ(idioms("function last(s) = if #s == 1 then s[0] else last(drop(s, 1));" + last), Found{"1:46 copies"});
  EXPECT_EQ(idioms("function last(s) = if #s == 1 then s[0] else let rest = drop(s, 2) in last(rest);" + last),
            Found{"1:71 copies"});
  EXPECT_EQ(idioms("function last(s) = if #s == 1 then s[0] else last(drop(s, #s / 2));" + last), Found()) << "halves";
  const std::string text = "function last(s) = if #s == 1 then s[0] else last(drop(s, 1)); function both(s) = last(s);";
  EXPECT_EQ(idioms(text + " {both(s) : s in [[1, 2], [3]]};"), Found()) << "slices";
  EXPECT_EQ(idioms(text + " ({both(s) : s in [[1, 2], [3]]}, both([4]));"), Found{"1:46 copies"});
  EXPECT_EQ(idioms(text + " last([1, 2]);"), Found()) << "of a constant";
  EXPECT_EQ(idioms(text + " {x : x in [both([4])]};"), Found{"1:46 copies"});
}

TEST(SlowIdioms, AccumulationOneByOne) {
  const std::string go = "function go(s, i, sum) = if i == #s then sum else go(s, i + 1, ",
                    call = "); go([1, 2], 0, 0);";
  const Found reads = {"1:51 reads"};
  EXPECT_EQ(idioms(go + "sum + s[i]" + call), reads);
  EXPECT_EQ(idioms(go + "max(s[i] * s[i], sum)" + call), reads);
  EXPECT_EQ(idioms(go + "sum * 3 + s[i]" + call), Found()) << "Horner's rule";
  EXPECT_EQ(idioms(go + "sum + s[mod(sum, #s)]" + call), Found()) << "depends on the sum";
  EXPECT_EQ(idioms(go + "sum + 1" + call), Found());
}

TEST(SlowIdioms, OnlyThoseThatTheProgramReaches) {
  const std::string least = "function least(s) = sort(s)[0]; function other(s) = least(s);";
  EXPECT_EQ(idioms(least + " 7;"), Found());
  EXPECT_EQ(idioms(least + " other([2, 1]);"), Found{"1:21 sorts"});
  EXPECT_EQ(idioms(least + " x = other([2, 1]);\nsort([1])[0];"), (Found{"1:21 sorts", "2:1 sorts"}));
}

}  // namespace
}  // namespace nesl

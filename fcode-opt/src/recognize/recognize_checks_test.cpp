#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text after the pass of a function of (f: Bool, s: Segdes scalar, a: Int).
std::string with_checks(const std::function<std::vector<Var>(Builder&, Var f, Var s, Var a)>& write) {
  Program program;
  Builder main(program, "MAIN");
  const Var f = main.parameter(Kind::kBool, "f"), s = main.parameter(Kind::kSegdes, "s", true),
            a = main.parameter(Kind::kInt, "a");
  main.ret(write(main, f, s, a));
  EXPECT_EQ(verify(program), "");
  program.from_stack_code = true;
  recognize(program);
  remove_dead_bindings(program);
  const std::string all = text(program);
  return all.substr(all.find('\n') + 1);
}

Var all_of(Builder& b, Var f, Var s) { return b.op(Op::kAndReduce, Suffix::kBool, {f, s}); }

void say(Builder& b, const std::string& text) {
  Constant words{.type = Suffix::kChar, .bracketed = true};
  words.ints.assign(text.begin(), text.end());
  b.op(Op::kWrite, Suffix::kChar, {b.constant(std::move(words))});
}

/// Branch that writes `words` and exits, and yields nothing.
Builder::Branch ending(Builder& b, const std::string& words, const std::optional<Site>& site = {},
                       const std::vector<Var>& nest = {}) {
  return [=, &b] {
    say(b, words);
    b.ops(Op::kExit, Suffix::kNone, {});
    if (site) b.at(*site, nest, true);
    return std::vector<Var>{};
  };
}
std::vector<Var> nothing() { return {}; }

TEST(RecognizeChecks, BranchThatWritesAndExitsBecomesAssert) {
  EXPECT_EQ(with_checks([](Builder& b, Var f, Var s, Var a) -> std::vector<Var> {
              b.choose(all_of(b, f, s), nothing, ending(b, "quite wrong"));
              return {a};
            }),
            "  v7: Bool = ASSERT f.0  -- :0:0  says \"quite wrong\"\n"
            "  ret a.2\n");
}

TEST(RecognizeChecks, OtherBranchFollowsTheAssert) {
  EXPECT_EQ(with_checks([](Builder& b, Var f, Var s, Var a) {
              return b.choose(
                  all_of(b, f, s), [&] { return std::vector{b.op(Op::kNot, Suffix::kInt, {a})}; },
                  [&] {
                    ending(b, "no")();
                    return std::vector{a};
                  });
            }),
            "  v9: Bool = ASSERT f.0  -- :0:0  says \"no\"\n"
            "  v4: Int = NOT INT a.2\n"
            "  ret v4\n");
}

TEST(RecognizeChecks, AssertHasTheLocationOfTheExit) {
  const Site site{"x.nesl", 3, 4, "g", "Length mismatch."};
  EXPECT_EQ(with_checks([&](Builder& b, Var f, Var s, Var a) -> std::vector<Var> {
              b.choose(all_of(b, f, s), nothing, ending(b, "no", site, {f, s}));
              return {a};
            }),
            "  v7: Bool = ASSERT f.0  -- x.nesl:3:4 g \"Length mismatch.\" says \"no\"  in s.1 .\n"
            "  ret a.2\n");
}

TEST(RecognizeChecks, BranchWithOtherOperationsOrCharactersStays) {
  const auto stays = [](const std::function<void(Builder&, Var)>& before_exit) {
    const std::string text = with_checks([&](Builder& b, Var f, Var s, Var a) -> std::vector<Var> {
      b.choose(all_of(b, f, s), nothing, [&] {
        before_exit(b, a);
        b.ops(Op::kExit, Suffix::kNone, {});
        return std::vector<Var>{};
      });
      return {a};
    });
    return text.find("ASSERT") == std::string::npos && text.find("EXIT") != std::string::npos;
  };
  EXPECT_FALSE(stays([](Builder& b, Var) { say(b, "no"); }));
  EXPECT_TRUE(stays([](Builder&, Var) {}));
  EXPECT_TRUE(stays([](Builder& b, Var a) { b.op(Op::kWrite, Suffix::kInt, {a}); }));
  EXPECT_TRUE(stays([](Builder& b, Var) { say(b, "a {comment}"); }));
  EXPECT_TRUE(stays([](Builder& b, Var) { say(b, "\a"); }));
}

TEST(RecognizeChecks, ExitLocatedByOtherFlagsStays) {
  const std::string text = with_checks([](Builder& b, Var f, Var s, Var a) -> std::vector<Var> {
    const Var other = b.op(Op::kNot, Suffix::kBool, {f});
    b.choose(all_of(b, f, s), nothing, ending(b, "no", Site{"x.nesl", 3, 4, "g", ""}, {other, s}));
    return {a};
  });
  EXPECT_EQ(text.find("ASSERT"), std::string::npos) << text;
}

TEST(RecognizeChecks, ConditionOfSeveralElementsStays) {
  const std::string text = with_checks([](Builder& b, Var f, Var, Var a) -> std::vector<Var> {
    b.choose(f, nothing, ending(b, "no"));
    return {a};
  });
  EXPECT_EQ(text.find("ASSERT"), std::string::npos) << text;
}

}  // namespace
}  // namespace vcode::letform::testing

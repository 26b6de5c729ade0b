#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text after the pass of a function of (a: Int, c: Bool).
std::string sunk(const std::function<std::vector<Var>(Builder&, Var, Var)>& write) {
  Program program;
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), c = main.parameter(Kind::kBool, "c", true);
  main.ret(write(main, a, c));
  EXPECT_EQ(verify(program), "");
  sink_bindings(program);
  const std::string all = text(program), head = "entry MAIN (a.0: Int, c.1: Bool scalar)\n";
  return all.starts_with(head) ? all.substr(head.size()) : all;
}

TEST(Sink, SinksIntoTheInnermostBranchWithAllUses) {
  EXPECT_EQ(sunk([](Builder& f, Var a, Var c) {
              Var b = f.op(Op::kNot, Suffix::kInt, {a}), d = f.op(Op::kXor, Suffix::kInt, {a, b});
              Var shared = f.op(Op::kAdd, Suffix::kInt, {a, a});
              return f.choose(
                  c,
                  [&] {
                    return f.choose(
                        c, [&] { return std::vector{d}; }, [&] { return std::vector{shared}; });
                  },
                  [&] {
                    return std::vector{f.op(Op::kMultiply, Suffix::kInt, {shared, a})};
                  });
            }),
            "  v4: Int = + INT a.0 a.0\n"
            "  v7: Int = IF c.1\n"
            "  then\n"
            "    v5: Int = IF c.1\n"
            "    then\n"
            "      v2: Int = NOT INT a.0\n"
            "      v3: Int = XOR INT a.0 v2\n"
            "      yield v3\n"
            "    else\n"
            "      yield v4\n"
            "    yield v5\n"
            "  else\n"
            "    v6: Int = * INT v4 a.0\n"
            "    yield v6\n"
            "  ret v7\n");
}

TEST(Sink, KeepsOperationsThatFaultOrAreUsedAfterTheIf) {
  EXPECT_EQ(sunk([](Builder& f, Var a, Var c) -> std::vector<Var> {
              Var q = f.op(Op::kDivide, Suffix::kInt, {a, a}), b = f.op(Op::kNot, Suffix::kInt, {a});
              std::vector<Var> r = f.choose(
                  c,
                  [&] {
                    return std::vector{q, b};
                  },
                  [&] {
                    return std::vector{a, a};
                  });
              return {r[0], r[1], b};
            }),
            "  v2: Int = / INT a.0 a.0\n"
            "  v3: Int = NOT INT a.0\n"
            "  v4: Int, v5: Int = IF c.1\n"
            "  then\n"
            "    yield v2 v3\n"
            "  else\n"
            "    yield a.0 a.0\n"
            "  ret v4 v5 v3\n");
}

TEST(Sink, SinksCallsWithoutEffect) {
  auto write = [](Op op) {
    Program program;
    Builder callee(program, "callee");
    const Var x = callee.parameter(Kind::kInt, "x");
    callee.ret({callee.op(op, Suffix::kInt, {x, x})});
    Builder main(program, "MAIN");
    const Var a = main.parameter(Kind::kInt, "a"), c = main.parameter(Kind::kBool, "c", true);
    const Var called = main.call(callee, {a})[0];
    main.ret(main.choose(
        c, [&] { return std::vector{called}; }, [&] { return std::vector{a}; }));
    program.entry = main.number();
    EXPECT_EQ(verify(program), "");
    sink_bindings(program);
    return text(program);
  };
  const std::string adds = write(Op::kAdd), divides = write(Op::kDivide);
  EXPECT_GT(adds.find("CALL callee"), adds.find("= IF")) << adds;
  EXPECT_LT(divides.find("CALL callee"), divides.find("= IF")) << divides;
}

TEST(Sink, SinksNothingAcrossTimers) {
  const std::string timed = sunk([](Builder& f, Var a, Var c) {
    f.ops(Op::kStartTimer, Suffix::kNone, {});
    Var b = f.op(Op::kNot, Suffix::kInt, {a});
    f.op(Op::kStopTimer, Suffix::kNone, {});
    Var d = f.op(Op::kNot, Suffix::kInt, {b});
    return f.choose(
        c, [&] { return std::vector{d}; }, [&] { return std::vector{a}; });
  });
  EXPECT_LT(timed.find("NOT INT a.0"), timed.find("STOP_TIMER")) << timed;
  EXPECT_GT(timed.find("NOT INT v2"), timed.find("= IF")) << timed;
}

/// Sinking LENGTH of b, for example, would keep b alive until the branch.
TEST(Sink, SinksNothingThatExtendsALargerLiveRange) {
  auto write = [](bool small) {
    return sunk([small](Builder& f, Var a, Var c) {
      Var b = f.op(Op::kNot, Suffix::kInt, {a});
      Var d = small ? f.op(Op::kLength, Suffix::kInt, {b}) : f.op(Op::kNot, Suffix::kInt, {b});
      f.ops(Op::kWrite, Suffix::kInt, {b});
      return f.choose(
          c, [&] { return std::vector{d}; }, [&] { return std::vector{a}; });
    });
  };
  const std::string length = write(true), opposite = write(false);
  EXPECT_LT(length.find("LENGTH"), length.find("WRITE"));
  EXPECT_GT(opposite.find("NOT INT v2"), opposite.find("= IF"));
}

TEST(Sink, MovesOfBlocksStay) {
  const std::string text = sunk([](Builder& f, Var a, Var c) {
    const Var length = f.op(Op::kLength, Suffix::kInt, {a});
    const Var all = f.op(Op::kMakeSegdes, Suffix::kNone, {length});
    const Var slice = f.op(Op::kSlice, Suffix::kInt, {a, f.constant(0), all});
    return f.choose(
        c, [&] { return std::vector{slice}; }, [&] { return std::vector{a}; });
  });
  EXPECT_LT(text.find("SLICE"), text.find("IF")) << text;
}

}  // namespace
}  // namespace vcode::letform::testing

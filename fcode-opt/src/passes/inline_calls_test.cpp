#include <gtest/gtest.h>

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

TEST(Inline, SmallOnesAndThoseCalledOnce) {
  Program program;
  Builder small(program, "small");
  Var x = small.parameter(Kind::kInt, "x");
  small.ret({small.op(Op::kNot, Suffix::kInt, {x})});
  Builder once(program, "once");
  Var y = once.parameter(Kind::kInt, "y");
  for (int k = 0; k < 3; ++k) y = once.call(small, {y})[0];
  once.ret({y});
  Builder unused(program, "unused");
  unused.ret({});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a");
  main.ret({main.call(once, {a})[0], main.call(small, {a})[0]});
  program.entry = main.number();
  inline_calls(program, 1);
  EXPECT_EQ(text(program),
            "entry MAIN (a.0: Int)\n"
            "  x.3: Int = NOT INT a.0\n"
            "  x.4: Int = NOT INT x.3\n"
            "  v5: Int = NOT INT x.4\n"
            "  v6: Int = NOT INT a.0\n"
            "  ret v5 v6\n");
}

TEST(Inline, RecursiveOnesStay) {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x");
  f.will_return({x});
  f.ret(f.call(f, {x}));
  Builder main(program, "MAIN");
  main.ret(main.call(f, {main.constant(1)}));
  program.entry = main.number();
  const std::string before = text(program);
  inline_calls(program, 100);
  EXPECT_EQ(text(program), before);
}

TEST(Inline, SitesBecomeThoseOfTheCall) {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x");
  const Site library{"", 1, 1, "lib", "own words"}, user{"u", 2, 2, "user", "own words"};
  f.op(Op::kDivide, Suffix::kInt, {x, x});
  f.at(library, {x});
  f.op(Op::kRemainder, Suffix::kNone, {x, x});
  f.at(user, {x}, true);
  f.ret({});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), b = main.parameter(Kind::kInt, "b");
  main.call(f, {a});
  main.at({"m", 3, 3, "main", ""}, {b}, true);
  main.call(f, {b});
  main.at({"m", 4, 4, "main", "call's words"}, {a});
  main.ret({});
  program.entry = main.number();
  inline_calls(program, 100);
  EXPECT_EQ(text(program),
            "entry MAIN (a.0: Int, b.1: Int)\n"
            "  v2: Int = / INT a.0 a.0  -- m:3:3 main \"own words\"  in a.0 b.1 .\n"
            "  v3: Int = % a.0 a.0  -- u:2:2 user \"own words\"  in a.0 .\n"
            "  v4: Int = / INT b.1 b.1  -- m:4:4 main \"call's words\"  in b.1 a.0\n"
            "  v5: Int = % b.1 b.1  -- u:2:2 user \"own words\"  in b.1 .\n"
            "  ret\n");
}

}  // namespace
}  // namespace vcode::letform::testing

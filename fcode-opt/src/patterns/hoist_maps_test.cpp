#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text after the pass and simplification of a function that maps copies of the sequence (a, d), one for each element
/// of a descriptor t.
std::string hoisted(const std::function<Var(Builder&, Var copies, Var segments)>& map, bool whole = true) {
  Program program;
  Builder f(program, "MAIN");
  const Var a = f.parameter(Kind::kFloat, "a"), t = f.parameter(Kind::kSegdes, "t", true);
  const Var length = f.op(Op::kLength, Suffix::kFloat, {a}), d = f.op(Op::kMakeSegdes, Suffix::kNone, {length});
  const Var all = f.op(Op::kLengths, Suffix::kNone, {d});
  const Var lengths = f.op(Op::kDist, Suffix::kInt, {whole ? all : f.constant(7), t});
  const Var s = f.op(Op::kMakeSegdes, Suffix::kNone, {lengths});
  const Var starts = f.op(Op::kDist, Suffix::kInt, {f.constant(0), t});
  const Var copies = f.op(Op::kSlice, Suffix::kFloat, {a, starts, s});
  f.ret({d, s, map(f, copies, s)});
  EXPECT_EQ(verify(program), "");
  hoist_maps(program);
  EXPECT_EQ(verify(program), "");
  simplify(program);
  return text(program);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Var cosine(Builder& f, Var x) { return f.op(Op::kCos, Suffix::kNone, {x}); }

TEST(MapHoisting, ACostlyMapIsComputedOnce) {
  const std::string code = hoisted([](Builder& f, Var x, Var) { return cosine(f, x); });
  EXPECT_TRUE(has(code, "= COS a")) << code;
  EXPECT_EQ(code.find("SLICE"), code.rfind("SLICE")) << code;
}

TEST(MapHoisting, OperandsAreHoistedWithIt) {
  const std::string code = hoisted([](Builder& f, Var x, Var s) {
    const Var one = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kElements, Suffix::kNone, {s})});
    const Var factor = f.op(Op::kDist, Suffix::kFloat, {f.constant(2.0), one});
    const Var twice = f.op(Op::kMultiply, Suffix::kFloat, {x, factor});
    return cosine(f, f.op(Op::kAdd, Suffix::kFloat, {twice, x}));
  });
  EXPECT_TRUE(has(code, "= * FLOAT a")) << code;
  EXPECT_EQ(code.find("SLICE"), code.rfind("SLICE")) << code;
}

TEST(MapHoisting, WhatIsNotACostlyMapOfCopiesStays) {
  const auto sum = [](Builder& f, Var x, Var) { return f.op(Op::kAdd, Suffix::kFloat, {x, x}); };
  EXPECT_TRUE(has(hoisted(sum), "SLICE FLOAT a"));
  // A value for each copy.
  const auto varies = [](Builder& f, Var x, Var s) {
    const Var one = f.op(Op::kDist, Suffix::kFloat, {f.op(Op::kSumReduce, Suffix::kFloat, {x, s}), s});
    return cosine(f, f.op(Op::kAdd, Suffix::kFloat, {x, one}));
  };
  EXPECT_TRUE(has(hoisted(varies), "SLICE FLOAT a"));
  // Copies of a part may have fewer elements than the sequence.
  EXPECT_TRUE(has(hoisted([](Builder& f, Var x, Var) { return cosine(f, x); }, false), "SLICE FLOAT a"));
}

}  // namespace
}  // namespace vcode::letform::testing

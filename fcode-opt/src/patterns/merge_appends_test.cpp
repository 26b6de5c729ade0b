#include <algorithm>
#include <array>

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Writes APPENDs of sequences that are parameters.
struct Appends {
  struct Sequence {
    Var elements, segments;
  };

  Builder& f;
  std::vector<Sequence> parameters;

  /// With the descriptor whose segments the two fill.
  Sequence append(Sequence a, Sequence b) {
    const auto lengths = [&](Sequence s) { return f.op(Op::kLengths, Suffix::kNone, {s.segments}); };
    const Var sum = f.op(Op::kAdd, Suffix::kInt, {lengths(a), lengths(b)});
    return append(a, b, f.op(Op::kMakeSegdes, Suffix::kNone, {sum}));
  }
  Sequence append(Sequence a, Sequence b, Var segments) {
    return {f.op(Op::kAppend, Suffix::kInt, {a.elements, b.elements, a.segments, b.segments, segments}), segments};
  }
};

/// Text of a function of (a: Int, s: Segdes, b: Int, t: Segdes, c: Int, u: Segdes) after the pass and simplification.
/// `with_message`: its first APPEND has an error message, so that it may fault.
std::string merged(const std::function<std::vector<Var>(Appends&)>& write, bool with_message = false) {
  Program program;
  Builder main(program, "MAIN");
  Appends appends{main, {}};
  for (const auto& [elements, segments] : {std::pair{"a", "s"}, {"b", "t"}, {"c", "u"}}) {
    const Var vector = main.parameter(Kind::kInt, elements);
    appends.parameters.push_back({vector, main.parameter(Kind::kSegdes, segments)});
  }
  main.ret(write(appends));
  if (with_message) {
    program.sites.push_back({.function = "g", .message = "Wrong."});
    std::ranges::find(program.functions[0].body.bindings, Op::kAppend, &Binding::op)->site = 0;
  }
  EXPECT_EQ(verify(program), "");
  merge_appends(program);
  EXPECT_EQ(verify(program), "");
  simplify(program);
  const std::string all = text(program);
  return all.substr(all.find('\n') + 1);
}

TEST(AppendMerging, ThreeSequencesAreAppendedAtOnce) {
  for (const bool left : {true, false}) {
    const std::string code = merged([=](Appends& f) -> std::vector<Var> {
      const auto& [a, b, c] = std::array{f.parameters[0], f.parameters[1], f.parameters[2]};
      return {(left ? f.append(f.append(a, b), c) : f.append(a, f.append(b, c))).elements};
    });
    EXPECT_NE(code.find("= APPEND3 INT a.0 b.2 c.4 s.1 t.3 u.5 "), std::string::npos) << code;
    EXPECT_EQ(code.find("= APPEND INT"), std::string::npos) << code;
  }
}

TEST(AppendMerging, AChainOfFiveSequencesTakesTwoOperations) {
  const std::string code = merged([](Appends& f) -> std::vector<Var> {
    Appends::Sequence all = f.parameters[0];
    for (const std::size_t k : {1, 2, 0, 1}) all = f.append(all, f.parameters[k]);
    return {all.elements};
  });
  EXPECT_EQ(code.find("= APPEND INT"), std::string::npos) << code;
  EXPECT_NE(code.find("= APPEND3 INT"), code.rfind("= APPEND3 INT")) << code;
}

TEST(AppendMerging, AnAppendThatIsReadElsewhereStays) {
  const std::string code = merged([](Appends& f) -> std::vector<Var> {
    const Appends::Sequence front = f.append(f.parameters[0], f.parameters[1]);
    return {front.elements, f.append(front, f.parameters[2]).elements};
  });
  EXPECT_EQ(code.find("APPEND3"), std::string::npos) << code;
}

TEST(AppendMerging, AnAppendThatCanFaultStays) {
  for (const bool is_sum : {true, false}) {
    const auto write = [=](Appends& f) -> std::vector<Var> {
      const auto& [a, b, c] = std::array{f.parameters[0], f.parameters[1], f.parameters[2]};
      return {f.append(is_sum ? f.append(a, b) : f.append(a, b, c.segments), c).elements};
    };
    const std::string code = merged(write, true);
    EXPECT_EQ(code.find("APPEND3") != std::string::npos, is_sum) << code;
  }
}

}  // namespace
}  // namespace vcode::letform::testing

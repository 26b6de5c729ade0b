#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// A function of (a: Int, b: Int, f: Bool, s: Segdes) with a lifted conditional on f.
class Conditional {
 public:
  using Write = std::function<std::vector<Var>(Builder&, const std::vector<Var>&, Var)>;

  /// `counts`: b is 0 1 2 …, instead of a parameter.
  Conditional(const Write& then, const Write& otherwise, bool counts = false) : main_(program_, "MAIN") {
    for (const auto& [kind, name] :
         {std::pair{Kind::kInt, "a"}, {Kind::kInt, "b"}, {Kind::kBool, "f"}, {Kind::kSegdes, "s"}})
      p_.push_back(main_.parameter(kind, name));
    if (counts) p_[1] = main_.op(Op::kIndex, Suffix::kNone, {main_.constant(0), main_.constant(1), p_[3]});
    const Var others = main_.op(Op::kNot, Suffix::kBool, {p_[2]});
    const auto any = [&](Var flags) { return main_.op(Op::kOrReduce, Suffix::kBool, {flags, p_[3]}); };
    const Var some = any(p_[2]), rest = any(others);
    const std::vector<Var> operands = {p_[2], others, p_[3],
                                       some,  rest,   main_.op(Op::kAnd, Suffix::kBool, {some, rest})};
    main_.ret(main_.lifted_if(
        operands, [&] { return then(main_, p_, p_[2]); }, [&] { return otherwise(main_, p_, others); }));
  }

  /// Text of the program after the pass and simplification.
  std::string text(Masks masks) {
    EXPECT_EQ(verify(program_), "");
    choose_masks(program_, masks, remarks_);
    EXPECT_EQ(verify(program_), "");
    simplify(program_);
    const std::string all = testing::text(program_);
    return all.substr(all.find('\n') + 1);
  }
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  Program program_;
  Builder main_;
  std::vector<Var> p_;
  std::vector<std::string> remarks_;
};

Var packed(Builder& f, Var x, Var flags, Var s) { return f.op(Op::kPack, Suffix::kInt, {x, flags, s}); }

std::vector<Var> quotient(Builder& f, const std::vector<Var>& p, Var flags) {
  const Var x = packed(f, p[0], flags, p[3]);
  const Var result = f.op(Op::kDivide, Suffix::kInt, {x, packed(f, p[1], flags, p[3])});
  f.at({.file = "t", .line = 1, .column = 2, .message = "Divide by zero."}, {flags, p[3]});
  return {result};
}

std::vector<Var> first(Builder&, const std::vector<Var>& p, Var) { return {p[0]}; }

TEST(ChooseMasks, OperationsThatCanFaultAreGuarded) {
  EXPECT_EQ(Conditional(quotient, first).text(Masks::kSteps),
            "  v14: Int scalar = CONST INT 1\n"
            "  v15: Int = DIST INT v14 s.3\n"
            "  v16: Int = SELECT INT f.2 b.1 v15\n"
            "  v17: Int = / INT a.0 v16  -- t:1:2  \"Divide by zero.\"  in s.3\n"
            "  v18: Int = SELECT INT f.2 v17 a.0\n"
            "  ret v18\n");
}

TEST(ChooseMasks, WithoutMasksElementsOfABranchArePacked) {
  const std::string text = Conditional(quotient, first).text(Masks::kNone);
  EXPECT_NE(text.find("PACK"), std::string::npos) << text;
  EXPECT_NE(text.find("DPERMUTE"), std::string::npos) << text;
  EXPECT_EQ(text.find("SELECT"), std::string::npos) << text;
  EXPECT_EQ(text.find("LIFTED"), std::string::npos) << text;
}

TEST(ChooseMasks, BothBranchesAreMerged) {
  const std::string text = Conditional(quotient, quotient).text(Masks::kNone);
  EXPECT_NE(text.find("MERGE INT"), std::string::npos) << text;
}

TEST(ChooseMasks, ReductionsOfABranchArePacked) {
  const auto sum = [](Builder& f, const std::vector<Var>& p, Var flags) -> std::vector<Var> {
    const std::vector<Var> pack = f.ops(Op::kPack, Suffix::kInt, {p[0], flags, p[3]});
    return {f.op(Op::kDist, Suffix::kInt, {f.op(Op::kSumReduce, Suffix::kInt, pack), pack[1]})};
  };
  const std::string text = Conditional(sum, first).text(Masks::kLoops);
  EXPECT_NE(text.find("PACK"), std::string::npos) << text;
}

/// Gathers of x[i + 1] with checks, as many as a conditional would never compute if the indices were unknown.
TEST(ChooseMasks, OperationsOnIndicesAreFree) {
  const auto neighbours = [](Builder& f, const std::vector<Var>& p, Var flags) -> std::vector<Var> {
    const std::vector<Var> packed = f.ops(Op::kPack, Suffix::kInt, {p[1], flags, p[3]});
    Var sum = packed[0];
    for (int k = 1; k <= 24; ++k) {
      const Var distance = f.op(Op::kDist, Suffix::kInt, {f.constant(k), packed[1]});
      const Var at = f.op(Op::kAdd, Suffix::kInt, {packed[0], distance});
      const Var read = f.op(Op::kBpermute, Suffix::kInt, {p[0], at, p[3], packed[1]});
      f.at({.file = "t", .line = 1, .column = 2, .message = "out of range"}, {flags, p[3]});
      sum = f.op(Op::kAdd, Suffix::kInt, {sum, read});
    }
    return {sum};
  };
  for (const bool counts : {true, false})
    EXPECT_EQ(Conditional(neighbours, first, counts).text(Masks::kLoops).find("BFPERMUTE") != std::string::npos,
              counts);
}

/// Two numbers are packed and merged instead of one, so that a branch may take more operations.
TEST(ChooseMasks, MasksMayCostAsMuchAsMovingMoreVectors) {
  for (const std::size_t values : {1, 2}) {
    const auto sums = [=](Builder& f, const std::vector<Var>& p, Var flags) {
      std::vector<Var> results;
      for (std::size_t k = 0; k < values; ++k) results.push_back(packed(f, p[k], flags, p[3]));
      for (int k = 0; k < 100; ++k) results[0] = f.op(Op::kAdd, Suffix::kInt, {results[0], results[0]});
      return results;
    };
    const auto same = [=](Builder&, const std::vector<Var>& p, Var) {
      return std::vector<Var>(p.begin(), p.begin() + values);
    };
    EXPECT_EQ(Conditional(sums, same).text(Masks::kLoops).find("PACK") != std::string::npos, values == 1);
  }
}

/// A function of (a: Int, s: Segdes) whose loop, go, adds numbers to themselves, or to other elements, while they are
/// below 100.
class Doubling {
 public:
  explicit Doubling(bool to_others = false) {
    const Var a = main_.parameter(Kind::kInt, "a"), s = main_.parameter(Kind::kSegdes, "s");
    main_.ret(main_.steps(
        {a}, {.file = "t", .line = 1, .column = 1, .message = "go"},
        [&](const std::vector<Var>& values) -> std::vector<Var> {
          const Var limit = main_.op(Op::kDist, Suffix::kInt, {main_.constant(100), s});
          const Var goes_on = main_.op(Op::kLess, Suffix::kInt, {values[0], limit});
          const Var added = to_others ? main_.op(Op::kBpermute, Suffix::kInt, {values[0], limit, s, s}) : values[0];
          const Var twice = main_.op(Op::kAdd, Suffix::kInt, {values[0], added});
          return {main_.op(Op::kSelect, Suffix::kInt, {goes_on, twice, values[0]}), goes_on};
        }));
  }
  std::string text(Masks masks) {
    EXPECT_EQ(verify(program_), "");
    choose_masks(program_, masks, remarks_);
    EXPECT_EQ(verify(program_), "");
    return testing::text(program_);
  }
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  Program program_;
  Builder main_{program_, "MAIN"};
  std::vector<std::string> remarks_;
};

TEST(ChooseMasks, StepsAreTakenOrDropped) {
  for (const Masks masks : {Masks::kSteps, Masks::kNone}) {
    Doubling doubling;
    const std::string code = doubling.text(masks);
    std::size_t sums = 0;
    for (std::size_t at = code.find("= + INT"); at != code.npos; at = code.find("= + INT", at + 1)) ++sums;
    EXPECT_EQ(sums, masks == Masks::kSteps ? 7u : 0u) << code;
    EXPECT_EQ(code.find("REPEATED"), code.npos) << code;
    EXPECT_EQ(doubling.remarks(),
              masks == Masks::kSteps
                  ? std::vector<std::string>{"t:1:1: the loop go takes 7 steps by masks before it packs again"}
                  : std::vector<std::string>{});
  }
}

TEST(ChooseMasks, LoopsAreRepeatedKernels) {
  Doubling doubling;
  EXPECT_EQ(doubling.text(Masks::kLoops),
            "entry MAIN (a.0: Int, s.1: Segdes)\n"
            "  v9: Int scalar = CONST INT 100\n"
            "  v10: Int = DIST INT v9 s.1\n"
            "  v19: Int, v20: Bool = REPEATED over s.1 of a.0 s.1  as v8: Int\n"
            "    v17: Int scalar = CONST INT 100\n"
            "    v18: Int = DIST INT v17 s.1\n"
            "    v11: Bool = < INT v8 v18\n"
            "    v12: Int = + INT v8 v8\n"
            "    v13: Int = SELECT INT v11 v12 v8\n"
            "    v14: Bool = < INT v13 v18\n"
            "    v15: Int = + INT v13 v13\n"
            "    v16: Int = SELECT INT v14 v15 v13\n"
            "    yield v16 v14\n"
            "  ret v19\n");
  EXPECT_EQ(doubling.remarks(), std::vector<std::string>{"t:1:1: the loop go is repeated in a kernel"});
}

TEST(ChooseMasks, LoopsThatReadOtherElementsAreNotRepeated) {
  Doubling doubling(true);
  const std::string code = doubling.text(Masks::kLoops);
  EXPECT_EQ(code.find("REPEATED"), code.npos) << code;
  EXPECT_EQ(doubling.remarks(),
            std::vector<std::string>{"t:1:1: the loop go takes 7 steps by masks before it packs again"});
}

}  // namespace
}  // namespace vcode::letform::testing

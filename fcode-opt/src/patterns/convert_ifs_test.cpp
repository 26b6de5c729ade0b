#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text of a function of (a: Int, b: Int, f: Bool, s: Segdes) after the pass and simplification. The vectors have as
/// many elements as s.
std::string if_converted(const std::function<std::vector<Var>(Builder&, std::vector<Var>)>& write) {
  Program program;
  Builder main(program, "MAIN");
  const std::vector<Var> parameters = {main.parameter(Kind::kInt, "a"), main.parameter(Kind::kInt, "b"),
                                       main.parameter(Kind::kBool, "f"), main.parameter(Kind::kSegdes, "s")};
  main.ret(write(main, parameters));
  EXPECT_EQ(verify(program), "");
  convert_ifs(program);
  EXPECT_EQ(verify(program), "");
  simplify(program);
  const std::string all = text(program);
  return all.substr(all.find('\n') + 1);
}

Var opposite(Builder& f, Var flags) { return f.op(Op::kNot, Suffix::kBool, {flags}); }
/// Replicates a number for each element of a vector.
Var spread(Builder& f, int number, Var v) {
  const Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {v})});
  return f.op(Op::kDist, Suffix::kInt, {f.constant(number), whole});
}

/// Descriptor of one segment as long as the flags, the elements of a that the flags choose, and the other elements of
/// b.
struct Halves {
  Var whole;
  std::vector<Var> of_true, of_false;
};
Halves halves(Builder& f, const std::vector<Var>& p) {
  const Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kBool, {p[2]})});
  return {whole, f.ops(Op::kPack, Suffix::kInt, {p[0], p[2], whole}),
          f.ops(Op::kPack, Suffix::kInt, {p[1], opposite(f, p[2]), whole})};
}

TEST(IfConversion, MergeOfCheapMapsBecomesSelect) {
  EXPECT_EQ(if_converted([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
              const auto [whole, a, b] = halves(f, p);
              const Var third = f.op(Op::kDivide, Suffix::kInt, {b[0], spread(f, 3, b[0])});
              return {f.op(Op::kMerge, Suffix::kInt, {p[2], f.op(Op::kAdd, Suffix::kInt, {a[0], a[0]}), third})};
            }),
            "  v4: Int = LENGTH BOOL f.2\n"
            "  v5: Segdes = MAKE_SEGDES v4\n"
            "  v13: Int scalar = CONST INT 3\n"
            "  v18: Int = + INT a.0 a.0\n"
            "  v19: Int = DIST INT v13 v5\n"
            "  v20: Int = / INT b.1 v19\n"
            "  v17: Int = SELECT INT f.2 v18 v20\n"
            "  ret v17\n");
}

TEST(IfConversion, OperationsThatMightFaultStayPacked) {
  const std::string text = if_converted([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const auto [whole, a, b] = halves(f, p);
    return {f.op(Op::kMerge, Suffix::kInt, {p[2], f.op(Op::kDivide, Suffix::kInt, {a[0], a[0]}), b[0]})};
  });
  EXPECT_NE(text.find("MERGE"), std::string::npos) << text;
}

TEST(IfConversion, ExpensiveOperationsStayPacked) {
  const auto merged = [](int logarithms) {
    return if_converted([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const auto [whole, a, b] = halves(f, p);
      Var x = f.op(Op::kIntToFloat, Suffix::kNone, {a[0]});
      for (int k = 0; k < logarithms; ++k) x = f.op(Op::kLog, Suffix::kNone, {x});
      return {f.op(Op::kMerge, Suffix::kFloat, {p[2], x, f.op(Op::kIntToFloat, Suffix::kNone, {b[0]})})};
    });
  };
  EXPECT_EQ(merged(3).find("MERGE"), std::string::npos);
  EXPECT_NE(merged(4).find("MERGE"), std::string::npos);
}

TEST(IfConversion, ValuesWithOtherUsesAreNotComputedTwice) {
  const std::string text = if_converted([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const auto [whole, a, b] = halves(f, p);
    const Var twice = f.op(Op::kAdd, Suffix::kInt, {a[0], a[0]});
    return {f.op(Op::kMerge, Suffix::kInt, {p[2], twice, b[0]}), twice};
  });
  EXPECT_NE(text.find("MERGE"), std::string::npos) << text;
}

TEST(IfConversion, OperandsPackedByOtherFlagsStayPacked) {
  const std::string text = if_converted([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const auto [whole, a, b] = halves(f, p);
    return {f.op(Op::kMerge, Suffix::kInt, {p[2], b[0], a[0]})};
  });
  EXPECT_NE(text.find("MERGE"), std::string::npos) << text;
}

TEST(IfConversion, SumOfChosenElementsAddsZerosForTheOthers) {
  EXPECT_EQ(if_converted([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
              const auto [whole, a, b] = halves(f, p);
              return {f.op(Op::kSumReduce, Suffix::kInt, {f.op(Op::kMultiply, Suffix::kInt, {a[0], a[0]}), a[1]})};
            }),
            "  v4: Int = LENGTH BOOL f.2\n"
            "  v5: Segdes = MAKE_SEGDES v4\n"
            "  v13: Int = * INT a.0 a.0\n"
            "  v14: Int scalar = CONST INT 0\n"
            "  v15: Int = DIST INT v14 v5\n"
            "  v16: Int = SELECT INT f.2 v13 v15\n"
            "  v12: Int = +_REDUCE INT v16 v5\n"
            "  ret v12\n");
}

TEST(IfConversion, SumsOverOtherSegmentsThanThoseOfThePackStay) {
  const std::string text = if_converted([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const auto [whole, a, b] = halves(f, p);
    return {f.op(Op::kSumReduce, Suffix::kInt, {f.op(Op::kMultiply, Suffix::kInt, {a[0], a[0]}), p[3]})};
  });
  EXPECT_EQ(text.find("SELECT"), std::string::npos) << text;
}

/// Chosen elements are written to places in a new vector of a hundred zeros, or in b.
std::string scattered(bool to_new) {
  return if_converted([&](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const auto [whole, a, b] = halves(f, p);
    const Var targets =
        f.op(Op::kMakeSegdes, Suffix::kNone, {to_new ? f.constant(100) : f.op(Op::kLength, Suffix::kInt, {p[1]})});
    const Var defaults = to_new ? f.op(Op::kDist, Suffix::kInt, {f.constant(0), targets}) : p[1];
    const Var places = f.op(Op::kAdd, Suffix::kInt, {a[0], a[0]});
    return {f.op(Op::kDpermute, Suffix::kInt, {a[0], places, defaults, a[1], targets})};
  });
}

TEST(IfConversion, ChosenElementsThatAreScatteredToNewDefaultsHaveFlags) {
  const std::string text = scattered(true);
  EXPECT_NE(text.find("DFPERMUTE INT a.0 "), std::string::npos) << text;
  EXPECT_EQ(text.find(" PACK "), std::string::npos) << text;
  EXPECT_NE(scattered(false).find(" PACK "), std::string::npos);
}

TEST(IfConversion, SumsOfFloatsAndExtremesStayPacked) {
  const std::string text = if_converted([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const auto [whole, a, b] = halves(f, p);
    const Var x = f.op(Op::kIntToFloat, Suffix::kNone, {a[0]});
    return {f.op(Op::kSumReduce, Suffix::kFloat, {x, a[1]}), f.op(Op::kMaxReduce, Suffix::kInt, {a[0], a[1]})};
  });
  EXPECT_NE(text.find("PACK"), std::string::npos) << text;
  EXPECT_EQ(text.find("SELECT"), std::string::npos) << text;
}

/// Text of a program in which `last` reads the elements of a that f chooses.
std::string twice_chosen(const std::function<Var(Builder&, const std::vector<Var>&, Var)>& last, bool keeps_first) {
  return if_converted([&](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const auto first = f.ops(Op::kPack, Suffix::kInt, {p[0], p[2], p[3]});
    auto both = f.ops(Op::kPack, Suffix::kInt, {first[0], last(f, p, first[0]), first[1]});
    if (keeps_first) both.push_back(first[0]);
    return both;
  });
}

TEST(IfConversion, ElementsChosenTwiceArePackedOnce) {
  const auto less = [](Builder& f, const std::vector<Var>&, Var x) {
    return f.op(Op::kLess, Suffix::kInt, {x, f.op(Op::kMultiply, Suffix::kInt, {x, x})});
  };
  EXPECT_EQ(twice_chosen(less, false),
            "  v10: Int = * INT a.0 a.0\n"
            "  v11: Bool = < INT a.0 v10\n"
            "  v12: Bool = AND BOOL f.2 v11\n"
            "  v8: Int, v9: Segdes = PACK INT a.0 v12 s.3\n"
            "  ret v8 v9\n");
  EXPECT_EQ(twice_chosen(less, true).find("AND"), std::string::npos) << "what is chosen first may be much shorter";
}

}  // namespace
}  // namespace vcode::letform::testing

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text after the pass of a function of (a: Int, f: Bool, s: Segdes scalar, c: Bool scalar).
std::string with_merged_ifs(const std::function<std::vector<Var>(Builder&, std::vector<Var>)>& write,
                            bool trusted = true) {
  Program program;
  program.lengths_agree = trusted;
  Builder main(program, "MAIN");
  const std::vector<Var> parameters = {main.parameter(Kind::kInt, "a"), main.parameter(Kind::kBool, "f"),
                                       main.parameter(Kind::kSegdes, "s", true),
                                       main.parameter(Kind::kBool, "c", true)};
  main.ret(write(main, parameters));
  EXPECT_EQ(verify(program), "");
  merge_ifs(program);
  const std::string all = text(program);
  return all.substr(all.find('\n') + 1);
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// Adds IF c with the result of `then` in one branch and `otherwise` in the other one.
Var choose(Builder& b, Var c, const std::function<Var()>& then, Var otherwise) {
  return b.choose(
      c, [&] { return std::vector{then()}; }, [&] { return std::vector{otherwise}; })[0];
}
Var pack(Builder& b, Var a, const std::vector<Var>& p) { return b.op(Op::kPack, Suffix::kInt, {a, p[1], p[2]}); }

TEST(IfMerging, LaterIfsMoveToTheFirstWithBindingsTheyNeed) {
  EXPECT_EQ(with_merged_ifs([](Builder& b, const std::vector<Var>& p) -> std::vector<Var> {
              const Var x = choose(
                  b, p[3], [&] { return pack(b, p[0], p); }, p[0]);
              const Var minus = b.op(Op::kNot, Suffix::kInt, {p[0]}), other = b.op(Op::kNot, Suffix::kInt, {x});
              const Var z = choose(
                  b, p[3],
                  [&] {
                    return b.op(Op::kAdd, Suffix::kInt, {pack(b, minus, p), x});
                  },
                  x);
              return {z, other};
            }),
            "  v7: Int = NOT INT a.0\n"
            "  v6: Int, v12: Int = IF c.3\n"
            "  then\n"
            "    v4: Int, v5: Segdes = PACK INT a.0 f.1 s.2\n"
            "    v9: Int, v10: Segdes = PACK INT v7 f.1 s.2\n"
            "    v11: Int = + INT v9 v4\n"
            "    yield v4 v11\n"
            "  else\n"
            "    yield a.0 a.0\n"
            "  v8: Int = NOT INT v6\n"
            "  ret v12 v8\n");
}

/// Number of IFs that are left of two with `between` between them, where `second` makes the branch of the second one.
std::size_t left_with(const std::function<void(Builder&, std::vector<Var>, Var x)>& between,
                      const std::function<Var(Builder&, std::vector<Var>)>& second, bool trusted = true) {
  return count_of(with_merged_ifs(
                      [&](Builder& b, const std::vector<Var>& p) -> std::vector<Var> {
                        const Var x = choose(
                            b, p[3], [&] { return pack(b, p[0], p); }, p[0]);
                        between(b, p, x);
                        return {x, choose(
                                       b, p[3], [&] { return second(b, p); }, p[0])};
                      },
                      trusted),
                  "IF");
}
Var packed(Builder& b, const std::vector<Var>& p) { return pack(b, p[0], p); }
Var quotient(Builder& b, const std::vector<Var>& p) { return b.op(Op::kDivide, Suffix::kInt, {p[0], p[0]}); }

TEST(IfMerging, IfsStayAfterEffectsThatMustComeFirst) {
  const auto nothing = [](Builder&, const std::vector<Var>&, Var) {};
  const auto divide = [](Builder& b, const std::vector<Var>& p, Var) { quotient(b, p); };
  const auto check = [](Builder& b, const std::vector<Var>& p, Var) { b.op(Op::kAssert, Suffix::kNone, {p[1]}); };
  EXPECT_EQ(left_with(nothing, quotient), 1u);
  EXPECT_EQ(left_with(divide, packed), 1u);
  EXPECT_EQ(left_with(divide, quotient), 2u);
  // The check may be the one that proves a and f equally long.
  EXPECT_EQ(left_with(check, packed), 2u);
}

TEST(IfMerging, IfsThatReadValuesDerivedFromTheFirstStay) {
  Var made = kNoVar;
  const auto make = [&](Builder& b, const std::vector<Var>&, Var x) { made = b.op(Op::kNot, Suffix::kInt, {x}); };
  EXPECT_EQ(left_with(make, [&](Builder& b, const std::vector<Var>&) { return b.op(Op::kNot, Suffix::kInt, {made}); }),
            2u);
}

TEST(IfMerging, IfsWhoseBranchEndsTheProgramStay) {
  EXPECT_EQ(left_with([](Builder&, const std::vector<Var>&, Var) {},
                      [](Builder& b, const std::vector<Var>& p) {
                        b.ops(Op::kExit, Suffix::kNone, {});
                        return p[0];
                      }),
            2u);
}

TEST(IfMerging, MergesIfsInBranches) {
  const std::string text = with_merged_ifs([](Builder& b, const std::vector<Var>& p) -> std::vector<Var> {
    const Var d = b.op(Op::kAndReduce, Suffix::kBool, {p[1], p[2]});
    return {choose(
        b, p[3],
        [&] {
          const Var x = choose(
              b, d, [&] { return pack(b, p[0], p); }, p[0]);
          const Var y = choose(
              b, d, [&] { return b.op(Op::kNot, Suffix::kInt, {x}); }, p[0]);
          return b.op(Op::kAdd, Suffix::kInt, {x, y});
        },
        p[0])};
  });
  EXPECT_EQ(count_of(text, "IF"), 2u) << text;
}

}  // namespace
}  // namespace vcode::letform::testing

#include "flatten_testing.h"

namespace nesl {
namespace {

TEST(Masks, BranchesAreMaskedStraightLineCode) {
  const Flattened result =
      flattened("s = [3, 4, 5]; i = [0, 1, 2]; {if k == 0 then s[k] else s[k - 1] / k : k in i};", true);
  EXPECT_EQ(result.code, R"(-- before fuse
entry MAIN (i.0: Segdes, i.1: Int, s.2: Segdes, s.3: Int)
  v4: Int scalar = CONST INT 0
  v5: Int = DIST INT v4 i.0
  v6: Bool = = INT i.1 v5
  v7: Bool = NOT BOOL v6
  v30: Int = BFPERMUTE INT s.3 i.1 v6 s.2 i.0  -- test:1:47  "Sequence reference (a[i]) out of bounds."  in i.0
  v31: Int scalar = CONST INT 1
  v32: Int = DIST INT v31 i.0
  v33: Int = - INT i.1 v32
  v34: Int = BFPERMUTE INT s.3 v33 v7 s.2 i.0  -- test:1:57  "Sequence reference (a[i]) out of bounds."  in i.0
  v35: Int = SELECT INT v6 v32 i.1
  v36: Int = / INT v34 v35  -- test:1:57  "Divide by zero."  in i.0
  v37: Int = SELECT INT v6 v30 v36
  ret i.0 v37

)");
  EXPECT_EQ(result.remarks, std::vector<std::string>{
                                "test:1:32: the conditional is computed by masks: 16 operations for each element"});
}

TEST(Masks, RecordsAreChosen) {
  const Flattened result = flattened(
      "datatype point(x : float, y : float); s = [3.0, 4.0];"
      "{let p = if k > 3.0 then point(sqrt(k) * k, exp(k)) else point(k, k * k) in p.x + p.y : k in s};",
      true);
  EXPECT_EQ(result.code.find("PACK"), std::string::npos) << result.code;
}

/// A function that is too large to be part of the code that calls it from the start, and numbers that are the same for
/// all elements.
TEST(Masks, FunctionsThatBranchesCallAreMasked) {
  std::string sums;
  for (int k = 0; k < 20; ++k) sums += "x * x + ";
  const Flattened result = flattened("function f(x, c) = " + sums +
                                         "x * sqrt(c * c + 1.0); s = [3.0, 4.0]; c = 2.0;"
                                         "{if k > 3.0 then f(k, c) else k : k in s};",
                                     true);
  EXPECT_EQ(result.code.find("PACK"), std::string::npos) << result.code;
}

TEST(Masks, NoMasksWithoutFusion) {
  const Flattened result = flattened("s = [3, 4, 5]; {if k == 0 then s[k] else s[k] / k : k in s};", false);
  EXPECT_TRUE(result.remarks.empty());
  EXPECT_NE(result.code.find("PACK"), std::string::npos);
  EXPECT_EQ(result.code.find("BFPERMUTE"), std::string::npos);
}

TEST(Masks, NestedConditionalsCombineTheirFlags) {
  const Flattened result = flattened(
      "s = [3, 4, 5]; {if k > 3 then (if k > 4 then 7 / k else rem(k, 2)) else lshift(1, k) : k in s};", true);
  EXPECT_EQ(result.remarks.size(), 1u);
  EXPECT_EQ(result.code.find("PACK"), std::string::npos) << result.code;
  EXPECT_EQ(result.code.find("= IF"), std::string::npos) << result.code;
}

TEST(Masks, OwnAndSharedRowsAreIndexedUnderMasks) {
  for (const char* body : {"if #r > 1 then r[1] else 0 : r in rows", "if #r > 1 then rows[0][#r] else 0 : r in rows",
                           "if #r > 1 then float(7) / float(#r) else 0.0 : r in rows",
                           "if #r > 1 then trunc(1.5 * float(#r)) else 0 : r in rows"}) {
    const Flattened result = flattened("rows = [[1], [2, 3]]; {" + std::string(body) + "};", true);
    ASSERT_EQ(result.remarks.size(), 1u);
    EXPECT_NE(result.remarks[0].find("by masks"), std::string::npos) << result.remarks[0];
    EXPECT_EQ(result.code.find("PACK"), std::string::npos) << result.code;
  }
}

TEST(Masks, GatherWithinSegmentsReadsTheWholeVectorIfFused) {
  const std::string text = "rows = [[1], [2, 3]]; {reverse(r) : r in rows};";
  const Flattened result = flattened(text, true);
  for (const char* word : {"OFFSETS", "BOUND", "BPERMUTE INT rows.2 "})
    EXPECT_NE(result.code.find(word), std::string::npos) << result.code;
  EXPECT_EQ(flattened(text, false).code.find("BOUND"), std::string::npos);
}

TEST(Masks, ChecksAreElementwise) {
  const std::string text = "g = [[1], [2, 3]]; {if i > 0 then isqrt(g[i][j]) else 0 : i in [0, 1]; j in [0, 1]};";
  const Flattened checked = flattened(text, true);
  for (const char* word : {"BOUND", "ASSERT", "by masks"})
    EXPECT_NE((checked.code + checked.remarks.at(0)).find(word), std::string::npos) << word << "\n" << checked.code;
  for (const char* word : {"EXIT", "EXTRACT", "= IF"})
    EXPECT_EQ(checked.code.find(word), std::string::npos) << word << "\n" << checked.code;
  EXPECT_NE(flattened(text, false).code.find("ASSERT"), std::string::npos);
}

TEST(Masks, ChecksOfNumbersReportTheNumbers) {
  const std::string text = "{if i > 0 then code_char(i) else `a : i in [0, 1]};";
  for (const bool masks : {false, true}) {
    const Flattened checked = flattened(text, masks);
    EXPECT_NE(checked.code.find("REQUIRE"), std::string::npos) << checked.code;
    EXPECT_NE(checked.code.find("\"code %a\""), std::string::npos) << checked.code;
    EXPECT_EQ(checked.code.find("EXIT"), std::string::npos) << checked.code;
  }
}

TEST(Masks, RemarkSaysWhyBranchesArePacked) {
  const std::string given = "s = [3, 4, 5]; function down(n) = if n < 1 then n else down(n - 2); ";
  const std::string packs = "the conditional packs the elements of each branch: ";
  for (const auto& [body, reason] : {
           std::pair{"if k > 3 then down(k) else 0", "a function is called"},
           std::pair{"if k > 3 then sum([0:k]) else 0", "MAKE_SEGDES is not elementwise"},
           std::pair{"if k > 3 then rand(k) else 0", "RAND is not elementwise"},
           std::pair{"if k > 3 then sin(sin(sin(sin(sin(sin(float(k))))))) else 1.0 / float(k)",
                     "its branches cost more"},
       }) {
    std::string all;
    for (const std::string& remark : flattened(given + "{" + body + " : k in s};", true).remarks) all += remark + "\n";
    EXPECT_NE(all.find(packs + reason), std::string::npos) << body << "\n" << all;
  }
}

}  // namespace
}  // namespace nesl

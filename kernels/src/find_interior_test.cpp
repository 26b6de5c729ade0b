#include "find_interior.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "planned_kernel.h"

namespace kernels {
namespace {

/// The interior of the only loop of a kernel over elements i = [first:…:stride], as the text of its plan has it.
std::string interior_of(const std::string& steps) {
  const PlannedKernel planned(
      "(v INT t SEGDES first INT stride INT low INT high INT x INT y BOOL w INT flag BOOL u SEGDES) OVER u\n"
      "i = INDEX first stride u a = DIST INT low u b = DIST INT high u " +
      steps);
  const std::string text = to_text(planned.plan);
  const std::size_t begin = text.find("interior:\n");
  if (begin == text.npos) return "";
  const std::size_t end = text.find("    store", begin);
  return text.substr(begin + 10, end - begin - 10);
}

TEST(FindInterior, ExcludesElementsThatConditionsChoose) {
  EXPECT_EQ(interior_of("f = = INT i a g = = INT i b h = OR BOOL f g e = NOT BOOL h j = - INT i a"
                        " p = BFPERMUTE INT v i h t u q = BFPERMUTE INT v j e t u r = SELECT INT h p q OUT r"),
            "      i is an INT\n      i - a /= 0\n      i - b /= 0\n"
            "      f is false\n      g is false\n      h is false\n      e is true\n"
            "      q = v from i - a upwards\n");
}

TEST(FindInterior, TakesTheOperandOfASelectThatChanges) {
  EXPECT_EQ(interior_of("f = < INT i b j = SELECT INT f i b k = - INT a j p = BPERMUTE INT v k t u OUT p"),
            "      i is an INT\n      b - i - 1 >= 0\n      f is true\n      p = v from a - i downwards\n");
}

/// A rotation.
TEST(FindInterior, TakesTheLongerPartIfBothOperandsChange) {
  EXPECT_EQ(interior_of("f = < INT i b m = - INT i b j = SELECT INT f i m p = BPERMUTE INT v j t u OUT p"),
            "      j = i if b - i - 1 >= 0 in the longer part, or else i - b\n      i is an INT\n      p = v from j upwards\n");
}

TEST(FindInterior, ReadsRunsUnderFlagsThatAreNotKnown) {
  EXPECT_EQ(interior_of("z = = INT x b f = < INT a i e = AND BOOL f z p = BFPERMUTE INT v i e t u"
                        " q = BFPERMUTE INT v a z t u OUT p q"),
            "      i is an INT\n      i - a - 1 >= 0\n      f is true\n"
            "      p = v from i upwards\n      q = v at a\n");
}

/// v[a][i], where t describes rows by lengths and offsets: each is read once in a segment.
TEST(FindInterior, ReadsTheOffsetOfARowOnce) {
  EXPECT_EQ(interior_of("n = BPERMUTE INT w a t u o = BPERMUTE INT w b t u j = BOUND n i k = + INT o j"
                        " p = BPERMUTE INT v k t u OUT p"),
            "      n = w at a\n      o = w at b\n      i is an INT\n      i >= 0\n      n - i - 1 >= 0\n"
            "      j has no fault\n      p = v from o + i upwards\n");
}

TEST(FindInterior, KnowsFlagsOfSegments) {
  EXPECT_EQ(interior_of("c = DIST BOOL flag u f = OR BOOL c y g = = INT i a h = OR BOOL c g e = NOT BOOL h"
                        " p = BFPERMUTE INT v i e t u OUT p f"),
            "      if c is false\n      i is an INT\n      i - a /= 0\n      c is false\n      g is false\n"
            "      h is false\n      e is true\n      p = v from i upwards\n");
}

TEST(FindInterior, NeedsLinearIndices) {
  EXPECT_EQ(interior_of("j = * INT i a p = BPERMUTE INT v j t u OUT p"), "");
  EXPECT_EQ(interior_of("p = BPERMUTE INT v x t u OUT p"), "");
  EXPECT_EQ(interior_of("j = + INT i i p = BPERMUTE INT v j t u OUT p"), "");
  EXPECT_EQ(interior_of("f = = INT x i j = SELECT INT f i x p = BPERMUTE INT v j t u OUT p"), "");
  EXPECT_EQ(interior_of("p = + INT i a OUT p"), "");
}

/// Each value is looked at for both operands of the next one, which are not linear.
TEST(FindInterior, GivesUpOnLargeExpressions) {
  std::string steps = "f = = INT x a z0 = * INT i a";
  for (int k = 0; k < 60; ++k) steps += fmt::format(" z{0} = SELECT INT f z{1} z{1}", k + 1, k);
  EXPECT_EQ(interior_of(steps + " p = BPERMUTE INT v z60 t u OUT p"), "");
}

}  // namespace
}  // namespace kernels

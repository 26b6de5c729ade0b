#include "machine/free_cuts.h"

#include <gtest/gtest.h>

#include <string>

#include "vcode/reader.h"

namespace interp {
namespace {

/// The functions of a program that may be cut anywhere, in its order.
std::vector<bool> found(const std::string& text) {
  const base::Source source("p.vcode", text);
  base::Diagnostics diagnostics;
  return functions_cut_anywhere(vcode::parse_vcode(source, diagnostics).value());
}

TEST(FreeCuts, SumsOfFloatsFixTheCutOfAllCallers) {
  EXPECT_EQ(found("FCODE 1\nFUNC MAIN CALL f RET\nFUNC f PIECES EACH CALL g RET\n"
                  "FUNC g CONST SEGDES 3 +_REDUCE FLOAT RET\nFUNC h PIECES EACH CONST SEGDES 3 +_REDUCE INT RET\n"
                  "FUNC m PIECES EACH CONST SEGDES 3 MAX_REDUCE FLOAT RET\n"),
            std::vector({false, false, false, true, true}));
}

TEST(FreeCuts, FunctionsInPiecesOfSumsAreCutAsThese) {
  // Samples of f show the costs of g, which must not depend on the ranks.
  EXPECT_EQ(found("FCODE 1\nFUNC MAIN CALL h RET\nFUNC f PIECES EACH CONST SEGDES 3 +_SCAN FLOAT CALL g RET\n"
                  "FUNC g PIECES EACH RET\nFUNC h PIECES EACH RET\n"),
            std::vector({true, false, false, true}));
}

TEST(FreeCuts, SumsInKernelsCount) {
  EXPECT_EQ(found("FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES) OVER s\nt = *_REDUCE FLOAT x s\nOUT t\nRET\n"
                  "FUNC MAIN RET\nFUNC f PIECES EACH CONST SEGDES 3 FUSED 0 RET\n"),
            std::vector({true, false}));
}

TEST(FreeCuts, DevicesShareOutLoopsThatMayBeCutAnywhere) {
  const base::Source source("p.vcode",
                            "FCODE 1\nFUNC MAIN CALL f RET\nFUNC f PIECES EACH CALL loop RET\n"
                            "FUNC loop PIECES EACH RET\nFUNC once PIECES EACH RET\n"
                            "FUNC sums PIECES EACH CONST SEGDES 3 +_REDUCE FLOAT CALL loop RET\n");
  base::Diagnostics diagnostics;
  const vcode::Program program = vcode::parse_vcode(source, diagnostics).value();
  // Pieces of `sums` are those of one device, and so are those of what it calls.
  EXPECT_EQ(functions_for_devices(program, {false, false, true, false, false}),
            std::vector({true, true, false, false, false}));
  const base::Source without("p.vcode",
                             "FCODE 1\nFUNC MAIN CALL f RET\nFUNC f PIECES EACH CALL loop RET\n"
                             "FUNC loop PIECES EACH RET\nFUNC once PIECES EACH RET\n");
  const vcode::Program other = vcode::parse_vcode(without, diagnostics).value();
  EXPECT_EQ(functions_for_devices(other, {false, false, true, false}), std::vector({true, true, true, false}));
}

}  // namespace
}  // namespace interp

#include "report/explain_updates.h"

#include <gtest/gtest.h>

#include "vcode/reader.h"

namespace interp {
namespace {

/// The sentences about the updates of a program.
std::vector<std::string> sentences(const std::string& text) {
  const base::Source source("p.vcode", text);
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  EXPECT_TRUE(program) << base::render(source, diagnostics);
  std::vector<std::string> found;
  for (const PlacedText& placed : explain_updates(*program)) found.push_back(placed.text);
  return found;
}

using Texts = std::vector<std::string>;

const std::string kVector = "CONST INT 1 CONST INT 10 MAKE_SEGDES DIST INT ";
/// Writes 5 to place 3 of the vector on top of the stack.
const std::string kUpdate =
    "CONST INT 5 CONST INT 3 CPOP 1 2 CONST INT 1 MAKE_SEGDES CONST INT 10 MAKE_SEGDES DPERMUTE INT ";

TEST(ExplainUpdates, VectorsThatNothingElseRefersToAreUpdatedInPlace) {
  EXPECT_EQ(sentences("FUNC MAIN " + kVector + kUpdate + "RET"), Texts{"DPERMUTE INT updates its vector in place"});
  EXPECT_EQ(sentences("FUNC MAIN " + kVector +
                      "COPY 1 0 LENGTH INT POP 1 0 CONST INT 3 CONST INT 5 CONST INT 10 "
                      "MAKE_SEGDES REPLACE INT RET"),
            Texts{"REPLACE INT updates its vector in place"});
}

TEST(ExplainUpdates, TheOldValueIsReadLater) {
  EXPECT_EQ(sentences("FUNC MAIN " + kVector + "COPY 1 0 " + kUpdate + "+ INT RET"),
            Texts{"DPERMUTE INT copies the vector that it updates: the old value is read in MAIN, too"});
  EXPECT_EQ(sentences("FUNC MAIN " + kVector + "COPY 1 0 " + kUpdate + "RET"),
            Texts{"DPERMUTE INT copies the vector that it updates: the old value is part of a result, too"});
}

TEST(ExplainUpdates, TheOldValueIsKeptByTheCaller) {
  const std::string update = " RET FUNC SET " + kUpdate + "RET";
  EXPECT_EQ(sentences("FUNC MAIN " + kVector + "CALL SET" + update), Texts{"DPERMUTE INT updates its vector in place"});
  EXPECT_EQ(
      sentences("FUNC MAIN " + kVector + "COPY 1 0 CALL SET + INT" + update),
      Texts{"DPERMUTE INT copies the vector that it updates: the argument of the call in MAIN is read in MAIN, too"});
  // Through a function in between that does nothing with the vector, and by a function that returns its argument.
  EXPECT_EQ(
      sentences("FUNC MAIN " + kVector + "COPY 1 0 CALL OUTER + INT RET FUNC OUTER CALL SET" + update),
      Texts{"DPERMUTE INT copies the vector that it updates: the argument of the call in MAIN is read in MAIN, too"});
  EXPECT_EQ(
      sentences("FUNC MAIN " + kVector + "COPY 1 0 CALL SAME CALL SET + INT RET FUNC SAME CONST INT 0 POP 1 0" +
                update),
      Texts{"DPERMUTE INT copies the vector that it updates: the argument of the call in MAIN is read in MAIN, too"});
}

TEST(ExplainUpdates, RecursionThatHandsItsVectorOverUpdatesInPlace) {
  const std::string fill = " RET FUNC FILL COPY 1 0 CONST INT 0 = INT IF POP 1 0 ELSE CONST INT 1 - INT CPOP 1 1 " +
                           kUpdate + "CPOP 1 1 CALL FILL ENDIF RET";
  EXPECT_EQ(sentences("FUNC MAIN " + kVector + "CONST INT 9 CALL FILL" + fill),
            Texts{"DPERMUTE INT updates its vector in place"});
}

TEST(ExplainUpdates, OnlyTheFirstCallOfARecursionCopies) {
  const std::string fill = " RET FUNC FILL COPY 1 0 CONST INT 0 = INT IF POP 1 0 ELSE CONST INT 1 - INT CPOP 1 1 " +
                           kUpdate + "CPOP 1 1 CALL FILL ENDIF RET";
  EXPECT_EQ(
      sentences("FUNC MAIN " + kVector + "COPY 1 0 CONST INT 9 CALL FILL + INT" + fill),
      Texts{"DPERMUTE INT may copy the vector that it updates: the argument of the call in MAIN is read in MAIN, too"});
}

TEST(ExplainUpdates, ConstantsAreCopied) {
  EXPECT_EQ(sentences("FUNC MAIN CONST INT (1 2 3 4 5 6 7 8 9 10) " + kUpdate + "RET"),
            Texts{"DPERMUTE INT copies the vector that it updates: it is a constant of the program"});
}

TEST(ExplainUpdates, AReaderInTheOtherBranchIsNone) {
  EXPECT_EQ(sentences("FUNC MAIN " + kVector + "CONST BOOL T IF " + kUpdate + "ELSE COPY 1 0 + INT ENDIF RET"),
            Texts{"DPERMUTE INT updates its vector in place"});
  EXPECT_EQ(sentences("FUNC MAIN " + kVector + "COPY 1 0 CONST BOOL T IF " + kUpdate +
                      "ELSE COPY 1 0 + INT ENDIF LENGTH INT POP 1 1 RET"),
            Texts{"DPERMUTE INT copies the vector that it updates: the old value is part of a result, too"});
}

TEST(ExplainUpdates, ConditionsThatExcludeEachOther) {
  // As lifted conditionals are: if some elements take the first branch, it yields the vector itself where all do, and
  // else a part; if some take the second one, it updates the vector.
  const std::string flag = "CONST INT 2 RAND CONST INT 0 = INT ";
  const std::string first = "FUNC MAIN " + kVector + flag + flag + "COPY 2 0 AND BOOL COPY 1 2 IF IF " + kVector +
                            "ELSE COPY 1 2 ENDIF ELSE POP 1 0 " + kVector + "ENDIF CPOP 1 1 ";
  EXPECT_EQ(sentences(first + "IF CPOP 1 2 " + kUpdate + "ELSE CPOP 1 2 ENDIF + INT POP 1 1 RET"),
            Texts{"DPERMUTE INT updates its vector in place"});
  EXPECT_EQ(sentences(first + "POP 1 0 CPOP 1 2 " + kUpdate + "+ INT POP 1 1 RET"),
            Texts{"DPERMUTE INT copies the vector that it updates: the old value is read in MAIN, too"});
}

}  // namespace
}  // namespace interp

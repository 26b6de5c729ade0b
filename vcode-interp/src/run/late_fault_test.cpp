#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "interpreter_testing.h"
#include "oracle.h"
#include "separate_memory.h"

// Faults that an asynchronous backend finds when the machine has passed the instruction.

namespace interp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;

struct LateFaultTest : ::testing::Test {
  std::unique_ptr<cvl::Backend> device = cvl::conformance::make_separate_memory(cvl::conformance::make_oracle({}));

  /// Runs `rest` behind a division of 100 numbers by 50 … -49, of which one is 0.
  Outcome run_behind_a_division(const std::string& rest) {
    return testing::run_text(R"(FUNC MAIN
CONST INT 7 CONST INT 100 MAKE_SEGDES DIST INT
CONST INT 50 CONST INT -1 CONST INT 100 MAKE_SEGDES INDEX
/ INT
)" + rest + "\nRET\n",
                             *device);
  }
};

constexpr const char* kReport = "p.vcode:4:1: error: / INT: division by zero (element 50)\n";

TEST_F(LateFaultTest, AreFoundAtTheEnd) {
  const Outcome outcome = run_behind_a_division("");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.errors, HasSubstr(kReport));
  EXPECT_THAT(outcome.errors, HasSubstr("the backend found out later"));
}

TEST_F(LateFaultTest, AreFoundBeforeABranchIsTaken) {
  const Outcome outcome = run_behind_a_division(
      "CONST INT 100 MAKE_SEGDES +_REDUCE INT CONST INT 0 < INT IF CONST INT 1 ELSE CONST INT 0 CONST INT 0 / INT "
      "ENDIF");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr(kReport));
}

TEST_F(LateFaultTest, AreFoundBeforeAnythingIsWritten) {
  const Outcome outcome = run_behind_a_division("CONST INT (79 75) CONST INT 1 FWRITE CHAR POP 2 0");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.errors, HasSubstr(kReport));
}

TEST_F(LateFaultTest, ComeBeforeErrorsThatTheyCause) {
  // The lengths are quotients; their error follows from the division.
  const Outcome outcome = run_behind_a_division("MAKE_SEGDES");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr(kReport));
  EXPECT_THAT(outcome.errors, Not(HasSubstr("MAKE_SEGDES:")));
}

TEST_F(LateFaultTest, ComeBeforeOtherMistakesOfLaterInstructions) {
  for (const char* mistake : {"CONST INT (1 2) CONST INT (1 2 3) + INT", "CONST INT (1 2) CONST INT (1 0) / INT"}) {
    const Outcome outcome = run_behind_a_division(mistake);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.errors, HasSubstr(kReport));
  }
}

TEST_F(LateFaultTest, AreNotAttributedToAnOperationOnTheHost) {
  // EXTRACT has one element and is computed on the host. It waits for the device, since the sum is copied from there;
  // the last operation that was issued to the device is the division.
  const Outcome outcome = testing::run_text(R"(FUNC MAIN
CONST INT 7 CONST INT 100 MAKE_SEGDES DIST INT CONST INT 100 MAKE_SEGDES +_REDUCE INT
CONST INT 7 CONST INT 100 MAKE_SEGDES DIST INT
CONST INT 50 CONST INT -1 CONST INT 100 MAKE_SEGDES INDEX
/ INT POP 1 0
CONST INT 0 CONST INT 1 MAKE_SEGDES EXTRACT INT
RET
)",
                                            *device);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("p.vcode:5:1: error: / INT: division by zero (element 50)\n"));
}

TEST_F(LateFaultTest, DoNotReachTheNextRun) {
  const Outcome stopped = run_behind_a_division("CONST BOOL (T F) CONST BOOL () IF ENDIF");
  EXPECT_EQ(stopped.status, 1);
  EXPECT_THAT(stopped.errors, HasSubstr("IF needs a Bool"));
  const Outcome next =
      testing::run_text("FUNC MAIN CONST INT 1 CONST INT 100 MAKE_SEGDES DIST INT POP 1 0 RET", *device);
  EXPECT_EQ(next.status, 0);
  EXPECT_EQ(next.errors, "");
}

TEST_F(LateFaultTest, ComeBeforeExit) {
  const Outcome outcome = run_behind_a_division("EXIT");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr(kReport));
}

TEST_F(LateFaultTest, NameTheInstructionThousandsOfOperationsLater) {
  std::string more;
  for (int k = 0; k < 5000; ++k) more += "COPY 1 0 + INT\n";
  const Outcome outcome = run_behind_a_division(more);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr(kReport));
}

TEST_F(LateFaultTest, NameTheStepOfAKernel) {
  const Outcome outcome = testing::run_text(R"(FCODE 1
KERNEL 0 quotient (a INT b INT) OVER a c = + INT a a q = / INT c b OUT q RET
FUNC MAIN
CONST INT 7 CONST INT 100 MAKE_SEGDES DIST INT
CONST INT 50 CONST INT -1 CONST INT 100 MAKE_SEGDES INDEX
FUSED 0
RET
)",
                                            *device);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("in kernel 0 (quotient): / INT: division by zero (element 50)"));
}

TEST_F(LateFaultTest, KeepTheLocationOfTheStep) {
  const Outcome outcome = testing::run_text(R"(FCODE 1
KERNEL 0 quotient (a INT b INT) OVER a
c = + INT a a {@a.nesl:1:1|f|Wrong.|.}
q = / INT c b {@a.nesl:2:2|f|Division by zero.|.}
r = - INT q c {@a.nesl:3:3|f|Wrong.|.}
OUT r RET
FUNC MAIN
CONST INT 7 CONST INT 100 MAKE_SEGDES DIST INT
CONST INT 50 CONST INT -1 CONST INT 100 MAKE_SEGDES INDEX
FUSED 0
RET
)",
                                            *device);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("a.nesl:2:2: run-time error in f: Division by zero.\n"));
}

TEST_F(LateFaultTest, KeepTheirLocationInTheSource) {
  const Outcome outcome = testing::run_text(R"(FUNC MAIN
CONST INT 7 CONST INT 100 MAKE_SEGDES DIST INT
CONST INT 50 CONST INT -1 CONST INT 100 MAKE_SEGDES INDEX
/ INT {@a.nesl:1:33|f|Division by zero.|.}
CALL OTHER
RET
FUNC OTHER
CONST INT 100 MAKE_SEGDES +_REDUCE INT
RET
)",
                                            *device);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("a.nesl:1:33: run-time error in f: Division by zero.\n"));
}

TEST_F(LateFaultTest, ALostDeviceEndsTheRun) {
  device = cvl::conformance::make_separate_memory(cvl::conformance::make_oracle({}), {.lost_at = 3});
  const Outcome outcome = run_behind_a_division("");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.errors, HasSubstr("p.vcode:4:1: error: the device is lost\n"));
}

TEST_F(LateFaultTest, AWaitForTheDeviceCanBeInterrupted) {
  // The first download is for the condition, the second for the stack that the program leaves.
  for (const int stopped_at : {1, 2}) {
    device = cvl::conformance::make_separate_memory(cvl::conformance::make_oracle({}), {.stopped_at = stopped_at});
    const Outcome outcome = testing::run_text(R"(FUNC MAIN
CONST INT 0 CONST INT 1 CONST INT 1000 MAKE_SEGDES INDEX
COPY 1 0 CONST INT 1000 MAKE_SEGDES +_REDUCE INT CONST INT 7 = INT IF ENDIF
RET
)",
                                              *device);
    EXPECT_EQ(outcome.status, 130);
    EXPECT_EQ(outcome.errors, "interrupted\n");
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace interp

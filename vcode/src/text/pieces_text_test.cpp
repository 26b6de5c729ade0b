// PIECES behind the names of functions: reading, printing, and errors.

#include <gtest/gtest.h>

#include "vcode/printer.h"
#include "vcode_testing.h"

namespace vcode::testing {
namespace {

TEST(PiecesText, IsReadAndPrinted) {
  const std::string text =
      "FCODE 1\n\n"
      "FUNC MAIN\nRET\n\n"
      "FUNC f I SEGDES O INT PIECES WHOLE SHARED EACH EACH 2 WHOLE 2\nPOP 5 0\nCONST INT 1\nRET\n\n";
  const Program program = read_good(text);
  EXPECT_EQ(program.functions[1].piece_operands, (PieceOperands{{PieceOperand::How::kWhole},
                                                                {PieceOperand::How::kShared},
                                                                {PieceOperand::How::kEach},
                                                                {PieceOperand::How::kEach, 2},
                                                                {PieceOperand::How::kWhole, 2}}));
  EXPECT_EQ(print_vcode(program), text);
  Program other = program;
  other.functions[1].piece_operands[3].of = kIndexSpace;
  EXPECT_FALSE(program == other);
}

class PiecesComplaints : public ::testing::TestWithParam<BadProgram> {};

TEST_P(PiecesComplaints, Exactly) {
  const std::string unreadable = read_complaints(GetParam().text);
  EXPECT_EQ(unreadable.empty() ? validate_complaints(GetParam().text) : unreadable, GetParam().complaints);
}

// clang-format off
const BadProgram kBad[] = {
    {"NotInVcode",
     "FUNC f PIECES EACH RET\n",
     R"(p:1:8: error: a program with PIECES begins with FCODE 1
  FUNC f PIECES EACH RET
         ^~~~~~
)"},
    {"NoCuts",
     "FCODE 1 FUNC f PIECES RET\n",
     R"(p:1:16: error: PIECES needs SHARED, EACH or WHOLE for each operand, not RET
  FCODE 1 FUNC f PIECES RET
                 ^~~~~~
)"},
    {"NothingOfTheIndexSpace",
     "FCODE 1 FUNC f PIECES SHARED RET\n",
     R"(p:1:16: error: PIECES: no operand has the elements of the index space
  FCODE 1 FUNC f PIECES SHARED RET
                 ^~~~~~~~~~~~~
)"},
    {"GoesByItself",
     "FCODE 1 FUNC f PIECES EACH EACH 1 RET\n",
     R"(p:1:16: error: PIECES: operand 1 goes by operand 1, which is not before it
  FCODE 1 FUNC f PIECES EACH EACH 1 RET
                 ^~~~~~~~~~~~~~~~~~
)"},
    {"GoesByALaterOne",
     "FCODE 1 FUNC f PIECES EACH 99999999999 EACH RET\n",
     R"(p:1:16: error: PIECES: operand 0 goes by operand 0, which is not before it
  FCODE 1 FUNC f PIECES EACH 99999999999 EACH RET
                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
)"},
    {"GoesByWhatIsShared",
     "FCODE 1 FUNC f PIECES EACH SHARED EACH 1 RET\n",
     R"(p:1:16: error: PIECES: operand 2 goes by operand 1, which is not cut
  FCODE 1 FUNC f PIECES EACH SHARED EACH 1 RET
                 ^~~~~~~~~~~~~~~~~~~~~~~~~
)"},
    {"TakesMore",
     "FCODE 1 FUNC MAIN CONST INT 1 CONST INT 2 CALL f RET\nFUNC f PIECES EACH\n+ INT RET\n",
     R"(p:2:6: error: f has PIECES of 1 value, but takes 2
  FUNC f PIECES EACH
       ^
)"},
    {"Writes",
     "FCODE 1 FUNC MAIN CONST INT 1 CALL f RET\nFUNC f PIECES EACH\nCALL g RET FUNC g EXIT RET\n",
     R"(p:2:6: error: f has PIECES, but does more than compute a value: it, or a function it calls, reads, writes, exits or draws random numbers
  FUNC f PIECES EACH
       ^
)"},
};
// clang-format on
INSTANTIATE_TEST_SUITE_P(, PiecesComplaints, ::testing::ValuesIn(kBad), test_name);

}  // namespace
}  // namespace vcode::testing

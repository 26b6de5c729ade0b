#include "vcode/printer.h"

#include <gtest/gtest.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

TEST(Printer, Layout) {
  EXPECT_EQ(print_vcode(read_good("FCODE 1 KERNEL 7 k (x INT s SEGDES) OVER s c = CONST INT 2 d = DIST INT c s\n"
                                  "y = * INT x d {@p:1:2|f||0} OUT y RET FUNC f I INT O FLOAT IF COPY 1 2 ELSE CALL "
                                  "g ENDIF = INT % FUSED 7 RET FUNC g CONST INT STDIN CONST SEGDES (1 2) PAIR RET")),
            R"(FCODE 1

KERNEL 7 k (x INT s SEGDES) OVER s
c = CONST INT 2
d = DIST INT c s
y = * INT x d {@p:1:2|f||0}
OUT y
RET

FUNC f I INT O FLOAT
IF
COPY 1 2
ELSE
CALL g
ENDIF
= INT
%
FUSED 7
RET

FUNC g
CONST INT STDIN
CONST SEGDES (1 2)
PAIR
RET

)");
}

TEST(Printer, OperationsThatClassicInterpretersDoNotKnowAreNamed) {
  EXPECT_TRUE(print_vcode(read_good("FUNC f CLOCK DATE CLOCK POP 1 0 RET"))
                  .starts_with("{operations beyond the VCODE of 1995: CLOCK DATE}\n\nFUNC f\n"));
  EXPECT_TRUE(print_vcode(read_good("FUNC f + INT RET")).starts_with("FUNC f\n"));
  EXPECT_TRUE(print_vcode(read_good("FCODE 1 FUNC f CLOCK RET")).starts_with("FCODE 1\n\nFUNC f\n"));
}

std::string printed(Constant constant, std::size_t max_elements = SIZE_MAX) {
  Program program;
  program.constants.push_back(std::move(constant));
  Instruction instruction;
  instruction.statement = Statement::kConst;
  return print_instruction(program, instruction, max_elements);
}

TEST(Printer, FloatsHaveADotAndRoundTrip) {
  auto text = [](double value) { return printed({.type = Suffix::kFloat, .floats = {value}}); };
  EXPECT_EQ(text(5), "CONST FLOAT 5.0");
  EXPECT_EQ(text(-0.0), "CONST FLOAT -0.0");
  EXPECT_EQ(text(1e-7), "CONST FLOAT 1.0e-07");
  EXPECT_EQ(text(1e100), "CONST FLOAT 1.0e+100");
  EXPECT_EQ(text(1.5e300), "CONST FLOAT 1.5e+300");
  EXPECT_EQ(text(0.1), "CONST FLOAT 0.1");
  EXPECT_EQ(text(5e-324), "CONST FLOAT 5.0e-324");
}

TEST(Printer, CharactersThatNoStringCanHoldBecomeAVector) {
  auto text = [](std::vector<std::int64_t> codes) {
    return printed({.type = Suffix::kChar, .ints = std::move(codes)});
  };
  EXPECT_EQ(text({'a', '\n', '\\'}), "CONST CHAR \"a\n\\\"");
  EXPECT_EQ(text({'a', '"'}), "CONST INT (97 34)");
  EXPECT_EQ(text({200}), "CONST INT (200)");
  EXPECT_EQ(printed({.type = Suffix::kByte, .ints = {'a', 200}}), "CONST BYTE \"a\xC8\"");
  EXPECT_EQ(printed({.type = Suffix::kByte, .ints = {'a', '"'}}), "CONST BYTE (97 34)");
  EXPECT_EQ(printed({.type = Suffix::kByte, .ints = {'"'}}), "CONST BYTE 34");
}

TEST(Printer, LongConstantsAreShortened) {
  EXPECT_EQ(printed({.bracketed = true, .ints = {1, 2, 3}}, 2), "CONST INT (1 2 ...)");
  EXPECT_EQ(printed({.bracketed = true, .ints = {1, 2}}, 2), "CONST INT (1 2)");
  EXPECT_EQ(printed({.type = Suffix::kChar, .ints = {'a', 'b', 'c'}}, 2), "CONST CHAR \"ab...\"");
}

TEST(Program, EqualityIgnoresSpansAndTheOrderOfConstants) {
  Program a = read_good("FUNC f CONST INT 1 CONST INT 2 RET"), b = read_good("FUNC  f  CONST INT 1 CONST INT 2 RET");
  EXPECT_EQ(a, b);
  std::swap(b.constants[0], b.constants[1]);
  EXPECT_FALSE(a == b);
  std::swap(b.functions[0].body[0].target, b.functions[0].body[1].target);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace vcode::testing

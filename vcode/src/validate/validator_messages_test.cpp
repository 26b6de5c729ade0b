// Errors of the validator in programs that cannot work.

#include <gtest/gtest.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

class ValidatorComplains : public ::testing::TestWithParam<BadProgram> {};

TEST_P(ValidatorComplains, Exactly) { EXPECT_EQ(validate_complaints(GetParam().text), GetParam().complaints); }

// clang-format off
const BadProgram kBadPrograms[] = {
    {"OperandOfWrongType",
     R"(FUNC MAIN
CONST INT 1
CONST FLOAT 2.0
+ INT
RET
)",
     R"(p:4:1: error: + INT: operand b must be Int but is Float
  + INT
  ^~~~~
p: note: in function MAIN, with the stack [Int Float] (top last)
)"},
    {"Underflow",
     R"(FUNC MAIN
CONST INT (1 2 3)
+ INT
RET
)",
     R"(p:3:1: error: stack underflow: + INT needs 2 values but the stack has 1
  + INT
  ^~~~~
p: note: in function MAIN, with the stack [Int] (top last)
)"},
    {"CopyTooDeep",
     R"(FUNC MAIN
CONST INT 1
COPY 2 3
RET
)",
     R"(p:3:1: error: stack underflow: COPY 2 3 needs 5 values but the stack has 1
  COPY 2 3
  ^~~~~~~~
p: note: in function MAIN, with the stack [Int] (top last)
)"},
    {"PopOnEmptyStack",
     R"(FUNC MAIN
POP 1 0
RET
)",
     R"(p:2:1: error: stack underflow: POP 1 0 needs 1 value but the stack has 0
  POP 1 0
  ^~~~~~~
p: note: in function MAIN, with the stack [] (top last)
)"},
    {"VectorForDescriptor",
     R"(FUNC MAIN
CONST INT (1 2)
CONST INT (1 2)
+_SCAN INT
RET
)",
     R"(p:4:1: error: +_SCAN INT: operand s must be Segdes but is Int
  +_SCAN INT
  ^~~~~~~~~~
p: note: in function MAIN, with the stack [Int Int] (top last)
)"},
    {"DescriptorForVector",
     R"(FUNC MAIN
CONST SEGDES 2
LENGTH INT
RET
)",
     R"(p:3:1: error: LENGTH INT: operand a must be Int, Bool, Float or Byte but is Segdes
  LENGTH INT
  ^~~~~~~~~~
p: note: in function MAIN, with the stack [Segdes] (top last)
)"},
    {"UnpairOfNoPair",
     R"(FUNC MAIN
CONST INT 1
UNPAIR
RET
)",
     R"(p:3:1: error: UNPAIR: operand p must be Pair but is Int
  UNPAIR
  ^~~~~~
p: note: in function MAIN, with the stack [Int] (top last)
)"},
    {"PartsOfPairs",
     R"(FUNC MAIN
CONST INT 1 CONST FLOAT 2.0 PAIR CONST BOOL T PAIR
UNPAIR POP 1 0 UNPAIR
NOT INT
RET
)",
     R"(p:4:1: error: NOT INT: operand a must be Int but is Float
  NOT INT
  ^~~~~~~
p: note: in function MAIN, with the stack [Int Float] (top last)
)"},
    {"IfOnFloat",
     R"(FUNC MAIN
CONST FLOAT 1.0
IF ENDIF
RET
)",
     R"(p:3:1: error: IF: operand flag must be Int or Bool but is Float
  IF ENDIF
  ^~
p: note: in function MAIN, with the stack [Float] (top last)
)"},
    {"FileNumberOfWrongType",
     R"(FUNC MAIN
CONST INT 1 CONST FLOAT 1.0
FWRITE INT
RET
)",
     R"(p:3:1: error: FWRITE INT: operand fd must be Int but is Float
  FWRITE INT
  ^~~~~~~~~~
p: note: in function MAIN, with the stack [Int Float] (top last)
)"},
    {"ErrorInCalledFunction",
     R"(FUNC MAIN
CALL f
RET
FUNC f
CONST INT 1
NOT BOOL
RET
)",
     R"(p:6:1: error: NOT BOOL: operand a must be Bool but is Int
  NOT BOOL
  ^~~~~~~~
p: note: in function f, with the stack [... Int] (top last)
)"},
    {"ArgumentOfWrongType",
     R"(FUNC MAIN
CONST FLOAT 1.0
CALL f
RET
FUNC f
CALL g
RET
FUNC g
NOT INT
RET
)",
     R"(p:9:1: error: NOT INT: operand a must be Int but is Float
  NOT INT
  ^~~~~~~
p: note: in function g
p:6:1: note: called in function f
  CALL g
  ^~~~~~
p:3:1: note: called in function MAIN, with the stack [Float] (top last)
  CALL f
  ^~~~~~
)"},
    {"UnderflowInCalledFunction",
     R"(FUNC MAIN
CONST INT 1
CALL f
RET
FUNC f
CONST INT 1
CALL g
RET
FUNC g
POP 1 0
+ INT
RET
)",
     R"(p:11:1: error: stack underflow: + INT reaches below the bottom of the stack
  + INT
  ^~~~~
p: note: in function g
p:7:1: note: called in function f
  CALL g
  ^~~~~~
p:3:1: note: called in function MAIN, with the stack [Int] (top last)
  CALL f
  ^~~~~~
)"},
    {"ResultOfWrongType",
     R"(FUNC MAIN
CONST INT 1
CALL f
CONST INT 1
+ INT
RET
FUNC f
I_TO_F
RET
)",
     R"(p:5:1: error: + INT: operand a must be Int but is Float
  + INT
  ^~~~~
p: note: in function MAIN, with the stack [Float Int] (top last)
)"},
    {"PolymorphicFunction",
     R"(FUNC MAIN
CONST INT 1 CONST FLOAT 2.0
CALL swap
NOT INT
POP 1 0
NOT INT
RET
FUNC swap
CPOP 1 1
RET
)",
     R"(p:6:1: error: NOT INT: operand a must be Int but is Float
  NOT INT
  ^~~~~~~
p: note: in function MAIN, with the stack [Float] (top last)
)"},
    {"ArgumentInPair",
     R"(FUNC MAIN
CONST INT 1 CONST FLOAT 2.0 PAIR
CALL f
RET
FUNC f
UNPAIR
+ INT
RET
)",
     R"(p:7:1: error: + INT: operand b must be Int but is Float
  + INT
  ^~~~~
p: note: in function f
p:3:1: note: called in function MAIN, with the stack [pair(Int,Float)] (top last)
  CALL f
  ^~~~~~
)"},
    {"BranchesOfDifferentTypes",
     R"(FUNC MAIN
CONST BOOL T
IF CONST INT 1 ELSE CONST FLOAT 2.0 ENDIF
MAKE_SEGDES
LENGTHS
CONST BOOL F
IF CONST INT 1 ELSE CONST FLOAT 2.0 ENDIF
NOT BOOL
RET
)",
     R"(p:8:1: error: NOT BOOL: operand a must be Bool but is Int or Float
  NOT BOOL
  ^~~~~~~~
p: note: in function MAIN, with the stack [Int Int|Float] (top last)
)"},
    {"BranchesOfDifferentHeight",
     R"(FUNC MAIN
CONST BOOL T
IF CONST INT 1 ELSE CONST INT 1 CONST INT 2 ENDIF
NOT BOOL
RET
)",
     R"(p:4:1: error: NOT BOOL: operand a must be Bool but is Int
  NOT BOOL
  ^~~~~~~~
p: note: in function MAIN, with the stack [... Int] (top last)
)"},
    {"TooFewInEitherBranch",
     R"(FUNC MAIN
CONST BOOL T
IF CONST INT 1 ENDIF
+ INT
RET
)",
     R"(p:4:1: error: stack underflow: + INT needs 2 values but the stack has at most 1
  + INT
  ^~~~~
p: note: in function MAIN, with the stack [...] (top last)
)"},
    {"Recursion",
     R"(FUNC MAIN
CONST FLOAT 5.0
CALL count
RET
FUNC count
COPY 1 0
CONST INT 0
= INT
IF ELSE CONST INT 1 - INT CALL count ENDIF
RET
)",
     R"(p:8:1: error: = INT: operand a must be Int but is Float
  = INT
  ^~~~~
p: note: in function count
p:3:1: note: called in function MAIN, with the stack [Float] (top last)
  CALL count
  ^~~~~~~~~~
)"},
    {"RecursiveEntryThatUnderflows",
     R"(FUNC f
CALL g
CONST BOOL T
IF CALL f ENDIF
RET
FUNC g
NOT INT
RET
)",
     R"(p:7:1: error: stack underflow: NOT INT reaches below the bottom of the stack
  NOT INT
  ^~~~~~~
p: note: in function g
p:2:1: note: called in function f, with the stack [] (top last)
  CALL g
  ^~~~~~
)"},
    {"ResultOfRecursion",
     R"(FUNC MAIN
CONST INT 5
CALL count
NOT BOOL
RET
FUNC count
COPY 1 0
CONST INT 0
= INT
IF ELSE CONST INT 1 - INT CALL count ENDIF
RET
)",
     R"(p:4:1: error: NOT BOOL: operand a must be Bool but is Int
  NOT BOOL
  ^~~~~~~~
p: note: in function MAIN, with the stack [Int] (top last)
)"},
    {"BothBranchesDemand",
     R"(FUNC MAIN
CONST FLOAT 5.0 CONST BOOL T
CALL f
RET
FUNC f
IF NOT INT ELSE NOT BOOL ENDIF
RET
)",
     R"(p:6:4: error: NOT INT: operand a must be Int but is Float
  IF NOT INT ELSE NOT BOOL ENDIF
     ^~~~~~~
p: note: in function f
p:3:1: note: called in function MAIN, with the stack [Float Bool] (top last)
  CALL f
  ^~~~~~
)"},
    {"IntTooWide",
     R"(FUNC MAIN
CONST INT (1 2147483649)
RET
)",
     R"(p:2:1: error: 2147483649 does not fit in a 32-bit INT; run with --int=64
  CONST INT (1 2147483649)
  ^~~~~~~~~~~~~~~~~~~~~~~~
)"},
    {"LengthsTooLong",
     R"(FUNC MAIN
CONST SEGDES (9223372036854775807 1)
RET
)",
     R"(p:2:1: error: the segment lengths add up to more than 2^63 - 1
  CONST SEGDES (9223372036854775807 1)
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
)"},
    {"FusedOnAnotherKind",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = NOT INT x
OUT y
RET
FUNC MAIN
CONST FLOAT 1.0
FUSED 0
RET
)",
     R"(p:8:1: error: FUSED 0: operand x must be Int but is Float
  FUSED 0
  ^~~~~~~
p: note: in function MAIN, with the stack [Float] (top last)
)"},
    {"SeveralErrors",
     R"(FUNC MAIN
CONST INT 1 NOT BOOL
CONST INT 1 NOT BOOL
POP 3 0
POP 3 0
RET
)",
     R"(p:2:13: error: NOT BOOL: operand a must be Bool but is Int
  CONST INT 1 NOT BOOL
              ^~~~~~~~
p: note: in function MAIN, with the stack [Int] (top last)
p:3:13: error: NOT BOOL: operand a must be Bool but is Int
  CONST INT 1 NOT BOOL
              ^~~~~~~~
p: note: in function MAIN, with the stack [Bool Int] (top last)
p:4:1: error: stack underflow: POP 3 0 needs 3 values but the stack has 2
  POP 3 0
  ^~~~~~~
p: note: in function MAIN, with the stack [Bool Bool] (top last)
)"},
    {"OneReportPerInstruction",
     R"(FUNC MAIN
CONST FLOAT 1.0 CALL f
CONST FLOAT 1.0 CALL f
RET
FUNC f
NOT INT
RET
)",
     R"(p:6:1: error: NOT INT: operand a must be Int but is Float
  NOT INT
  ^~~~~~~
p: note: in function f
p:2:17: note: called in function MAIN, with the stack [Float] (top last)
  CONST FLOAT 1.0 CALL f
                  ^~~~~~
)"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(, ValidatorComplains, ::testing::ValuesIn(kBadPrograms), test_name);

}  // namespace
}  // namespace vcode::testing

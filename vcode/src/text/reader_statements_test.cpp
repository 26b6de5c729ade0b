// Errors of the reader in instructions, their types, constants and numbers.

#include <gtest/gtest.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

class ReaderComplainsOfStatements : public ::testing::TestWithParam<BadProgram> {};

TEST_P(ReaderComplainsOfStatements, Exactly) { EXPECT_EQ(read_complaints(GetParam().text), GetParam().complaints); }

// clang-format off
const BadProgram kBadStatements[] = {
    {"UnknownInstruction",
     R"(FUNC MAIN
CONST INT 1
FROBNICATE
RET
)",
     R"(p:3:1: error: unknown instruction FROBNICATE
  FROBNICATE
  ^~~~~~~~~~
)"},
    {"UnknownInstructionNearAnother",
     R"(FUNC MAIN
CONST INT (1 2)
const INT 5
MAKE_SEGDESC
+_REDUCE INT
RET
)",
     R"(p:3:1: error: unknown instruction const; did you mean CONST?
  const INT 5
  ^~~~~
p:4:1: error: unknown instruction MAKE_SEGDESC; did you mean MAKE_SEGDES?
  MAKE_SEGDESC
  ^~~~~~~~~~~~
)"},
    {"NumberAsInstruction",
     R"(FUNC MAIN
5
RET
)",
     R"(p:2:1: error: an instruction was expected, not 5
  5
  ^
)"},
    {"TypeAsInstruction",
     R"(FUNC MAIN
INT
RET
)",
     R"(p:2:1: error: an instruction was expected, not INT
  INT
  ^~~
)"},
    {"MissingType",
     R"(FUNC MAIN
SELECT
SRAND
RET
)",
     R"(p:2:1: error: SELECT needs a type: INT, BOOL, FLOAT or BYTE
  SELECT
  ^~~~~~
p:3:1: error: SRAND needs a type: INT
  SRAND
  ^~~~~
)"},
    {"WrongType",
     R"(FUNC MAIN
= BOOL
NOT FLOAT
DIST SEGDES
RET
)",
     R"(p:2:1: error: = BOOL does not exist: = takes INT or FLOAT
  = BOOL
  ^~~~~~
p:3:1: error: NOT FLOAT does not exist: NOT takes INT or BOOL
  NOT FLOAT
  ^~~~~~~~~
p:4:1: error: DIST SEGDES does not exist: DIST takes INT, BOOL, FLOAT or BYTE
  DIST SEGDES
  ^~~~~~~~~~~
)"},
    {"ForbiddenType",
     R"(FUNC MAIN
% INT
I_TO_F INT
RET
)",
     R"(p:2:1: error: % INT does not exist: % takes no type
  % INT
  ^~~~~
p:3:1: error: I_TO_F INT does not exist: I_TO_F takes no type
  I_TO_F INT
  ^~~~~~~~~~
)"},
    {"ConstWithoutType",
     R"(FUNC MAIN
CONST 5
RET
)",
     R"(p:2:1: error: CONST needs a type (INT, BOOL, FLOAT, BYTE, SEGDES or CHAR), not 5
  CONST 5
  ^~~~~
)"},
    {"MixedConstant",
     R"(FUNC MAIN
CONST INT (1 2.0)
CONST FLOAT (1.0 2)
CONST BOOL (T 1)
CONST INT (1 T)
RET
)",
     R"(p:2:14: error: 2.0 cannot stand here: INT constants have no dot
  CONST INT (1 2.0)
               ^~~
p:3:18: error: 2 cannot stand here: FLOAT constants need a dot: write 2.0
  CONST FLOAT (1.0 2)
                   ^
p:4:15: error: 1 cannot stand here: BOOL constants are T or F
  CONST BOOL (T 1)
                ^
p:5:14: error: T cannot stand here: INT constants are integers
  CONST INT (1 T)
               ^
)"},
    {"FloatWithoutDot",
     R"(FUNC MAIN
CONST FLOAT 5
CONST FLOAT 1e5
CONST FLOAT .5
RET
)",
     R"(p:2:13: error: 5 cannot stand here: FLOAT constants need a dot: write 5.0
  CONST FLOAT 5
              ^
p:3:13: error: 1e5 cannot stand here: FLOAT constants are numbers with a digit before a dot, such as 0.5 or 1.0e-7
  CONST FLOAT 1e5
              ^~~
p:4:13: error: .5 cannot stand here: FLOAT constants are numbers with a digit before a dot, such as 0.5 or 1.0e-7
  CONST FLOAT .5
              ^~
)"},
    {"FloatTooLarge",
     R"(FUNC MAIN
CONST FLOAT 1.0e999
RET
)",
     R"(p:2:13: error: 1.0e999 is too large for a FLOAT
  CONST FLOAT 1.0e999
              ^~~~~~~
)"},
    {"IntTooLarge",
     R"(FUNC MAIN
CONST INT 9223372036854775808
RET
)",
     R"(p:2:11: error: 9223372036854775808 does not fit in 64 bits
  CONST INT 9223372036854775808
            ^~~~~~~~~~~~~~~~~~~
)"},
    {"StreamInVector",
     R"(FUNC MAIN
CONST INT (STDIN)
RET
)",
     R"(p:2:12: error: STDIN cannot stand here: a stream cannot stand in a vector
  CONST INT (STDIN)
             ^~~~~
)"},
    {"NegativeLength",
     R"(FUNC MAIN
CONST SEGDES (1 -2)
RET
)",
     R"(p:2:17: error: -2 cannot stand here: a segment length cannot be negative
  CONST SEGDES (1 -2)
                  ^~
)"},
    {"FloatLength",
     R"(FUNC MAIN
CONST SEGDES T
RET
)",
     R"(p:2:14: error: T cannot stand here: segment lengths are integers
  CONST SEGDES T
               ^
)"},
    {"CharConstantWithoutString",
     R"(FUNC MAIN
CONST CHAR 5
RET
)",
     R"(p:2:12: error: CONST CHAR needs a string in double quotes, not 5
  CONST CHAR 5
             ^
)"},
    {"ByteOutOfRange",
     R"(FUNC MAIN
CONST BYTE (1 256)
RET
)",
     R"(p:2:15: error: 256 cannot stand here: a BYTE is from 0 to 255
  CONST BYTE (1 256)
                ^~~
)"},
    {"StringForNumber",
     R"(FUNC MAIN
CONST INT "on two
lines"
RET
)",
     R"(p:2:11: error: "on two lines" cannot stand here: INT constants are integers
  CONST INT "on two
            ^~~~~~~
)"},
    {"OpenVector",
     R"(FUNC MAIN
CONST INT (1 2
RET
)",
     R"(p:2:11: error: this ( is not closed
  CONST INT (1 2
            ^
)"},
    {"NestedVector",
     R"(FUNC MAIN
CONST INT (1 (2))
RET
)",
     R"(p:2:14: error: ( cannot stand here: INT constants are integers
  CONST INT (1 (2))
               ^
)"},
    {"NegativeCount",
     R"(FUNC MAIN
COPY -1 0
POP 1 -2
RET
)",
     R"(p:2:6: error: COPY needs two integers, count and depth, which cannot be negative
  COPY -1 0
       ^~
p:3:7: error: POP needs two integers, count and depth, which cannot be negative
  POP 1 -2
        ^~
)"},
    {"MissingDepth",
     R"(FUNC MAIN
CPOP 1
RET
)",
     R"(p:2:1: error: CPOP needs two integers, count and depth, not RET
  CPOP 1
  ^~~~
)"},
    {"HugeCount",
     R"(FUNC MAIN
POP 99999999999999999999 0
RET
)",
     R"(p:2:5: error: 99999999999999999999 does not fit in 64 bits
  POP 99999999999999999999 0
      ^~~~~~~~~~~~~~~~~~~~
)"},
    {"FusedWithoutNumber",
     R"(FUNC MAIN
FUSED
RET
)",
     R"(p:2:1: error: FUSED needs the number of a kernel, not RET
  FUSED
  ^~~~~
)"},
    {"NegativeFused",
     R"(FUNC MAIN
FUSED -1
RET
)",
     R"(p:2:7: error: FUSED needs the number of a kernel, which cannot be negative
  FUSED -1
        ^~
)"},
    {"FcodeWithoutVersion",
     R"(FCODE
FUNC MAIN
RET
)",
     R"(p:1:1: error: FCODE needs a version number, not FUNC
  FCODE
  ^~~~~
)"},
    {"SeveralErrors",
     R"(FUNC MAIN
+ BOOL FOO CONST FLOAT 5
POP 1
RET
x
FUNC T
RET
)",
     R"(p:2:1: error: + BOOL does not exist: + takes INT or FLOAT
  + BOOL FOO CONST FLOAT 5
  ^~~~~~
p:2:8: error: unknown instruction FOO
  + BOOL FOO CONST FLOAT 5
         ^~~
p:2:24: error: 5 cannot stand here: FLOAT constants need a dot: write 5.0
  + BOOL FOO CONST FLOAT 5
                         ^
p:3:1: error: POP needs two integers, count and depth, not RET
  POP 1
  ^~~
p:5:1: error: only FUNC or the end of the file can follow RET, not x
  x
  ^
p:6:6: error: T is a reserved word and cannot name a function
  FUNC T
       ^
)"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(, ReaderComplainsOfStatements, ::testing::ValuesIn(kBadStatements), test_name);

}  // namespace
}  // namespace vcode::testing

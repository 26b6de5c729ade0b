#include <gtest/gtest.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

class KernelReaderComplains : public ::testing::TestWithParam<BadProgram> {};

TEST_P(KernelReaderComplains, Exactly) { EXPECT_EQ(read_complaints(GetParam().text), GetParam().complaints); }

// clang-format off
const BadProgram kBadKernels[] = {
    {"NoNumber",
     R"(FCODE 1
KERNEL k (x INT) OVER x y = NOT INT x OUT y RET
FUNC MAIN
RET
)",
     R"(p:2:1: error: KERNEL needs a number, not k
  KERNEL k (x INT) OVER x y = NOT INT x OUT y RET
  ^~~~~~
)"},
    {"NoName",
     R"(FCODE 1
KERNEL 0 (x INT) OVER x y = NOT INT x OUT y RET
FUNC MAIN
RET
)",
     R"(p:2:10: error: KERNEL needs a name behind its number, not (
  KERNEL 0 (x INT) OVER x y = NOT INT x OUT y RET
           ^
)"},
    {"NoInputs",
     R"(FCODE 1
KERNEL 0 k OVER x
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:2:12: error: KERNEL needs its inputs in ( ), not OVER
  KERNEL 0 k OVER x
             ^~~~
)"},
    {"InputWithoutType",
     R"(FCODE 1
KERNEL 0 k (x y INT) OVER x
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:2:15: error: the input x needs its type (INT, BOOL, FLOAT or SEGDES), not y
  KERNEL 0 k (x y INT) OVER x
                ^
)"},
    {"InputOfTypeChar",
     R"(FCODE 1
KERNEL 0 k (x CHAR) OVER x
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:2:15: error: the input x needs its type (INT, BOOL, FLOAT or SEGDES), not CHAR
  KERNEL 0 k (x CHAR) OVER x
                ^~~~
)"},
    {"ReservedName",
     R"(FCODE 1
KERNEL 0 k (T INT) OVER T
y = NOT INT T
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:2:13: error: T is a reserved word and cannot name a value
  KERNEL 0 k (T INT) OVER T
              ^
)"},
    {"NameTwice",
     R"(FCODE 1
KERNEL 0 k (x INT x INT) OVER x
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:2:19: error: kernel k has a value x already
  KERNEL 0 k (x INT x INT) OVER x
                    ^
)"},
    {"ResultNamedTwice",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
x = NOT INT x
OUT x
RET
FUNC MAIN
RET
)",
     R"(p:3:1: error: kernel k has a value x already
  x = NOT INT x
  ^
)"},
    {"OverMissing",
     R"(FCODE 1
KERNEL 0 k (x INT)
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:1: error: a kernel's inputs are followed by OVER and one of them, not y
  y = NOT INT x
  ^
)"},
    {"OverNothing",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER z
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:2:25: error: kernel k has no value z
  KERNEL 0 k (x INT) OVER z
                          ^
)"},
    {"OverUnused",
     R"(FCODE 1
KERNEL 0 k (x INT z INT) OVER z
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:2:1: error: kernel k: OVER z: no step reads it element by element or as the descriptor of its elements
  KERNEL 0 k (x INT z INT) OVER z
  ^~~~~~
)"},
    {"OverTable",
     R"(FCODE 1
KERNEL 0 k (v INT i INT s SEGDES t SEGDES) OVER s
y = BPERMUTE INT v i s t
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:2:1: error: kernel k: OVER s: no step reads it element by element or as the descriptor of its elements
  KERNEL 0 k (v INT i INT s SEGDES t SEGDES) OVER s
  ^~~~~~
)"},
    {"UnknownValue",
     R"(FCODE 1
KERNEL 0 k (length INT) OVER length
y = NOT INT lenght
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:13: error: kernel k has no value lenght; did you mean length?
  y = NOT INT lenght
              ^~~~~~
)"},
    {"UnknownOperation",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = FOO INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:5: error: an operation or CONST was expected behind =, not FOO
  y = FOO INT x
      ^~~
)"},
    {"OperationOutsideKernels",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = RANK_UP INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:5: error: RANK_UP cannot be in a kernel
  y = RANK_UP INT x
      ^~~~~~~
)"},
    {"WrongSuffix",
     R"(FCODE 1
KERNEL 0 k (x FLOAT) OVER x
y = NOT FLOAT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:5: error: NOT FLOAT does not exist: NOT takes INT or BOOL
  y = NOT FLOAT x
      ^~~~~~~~~
)"},
    {"WrongKind",
     R"(FCODE 1
KERNEL 0 k (x FLOAT) OVER x
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:1: error: kernel k: NOT: operand a must be Int, but x is Float
  y = NOT INT x
  ^~~~~~~~~~~~~
)"},
    {"TooFewOperands",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = + INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:4:1: error: kernel k has no value OUT
  OUT y
  ^~~
)"},
    {"TooManyResults",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y z = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:7: error: NOT has 1 result, but 2 names stand before it
  y z = NOT INT x
        ^~~
)"},
    {"TooFewResults",
     R"(FCODE 1
KERNEL 0 k (x INT f BOOL s SEGDES) OVER s
y = PACK INT x f s
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:5: error: PACK has 2 results, but 1 name stands before it
  y = PACK INT x f s
      ^~~~
)"},
    {"VectorConstant",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
c = CONST INT (1 2)
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:5: error: CONST in a kernel is one element (INT, BOOL, FLOAT or a character) for one name
  c = CONST INT (1 2)
      ^~~~~~~~~~~~~~~
)"},
    {"TextConstant",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
c = CONST CHAR "ab"
y = NOT INT x
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:3:5: error: CONST in a kernel is one element (INT, BOOL, FLOAT or a character) for one name
  c = CONST CHAR "ab"
      ^~~~~~~~~~~~~~~
)"},
    {"ConstantWithoutDist",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
c = CONST INT 1
y = + INT x c
OUT y
RET
FUNC MAIN
RET
)",
     R"(p:4:1: error: kernel k: + cannot read c: a constant is a scalar, which DIST must spread first
  y = + INT x c
  ^~~~~~~~~~~~~
)"},
    {"ReduceSpreadAgain",
     R"(FCODE 1
KERNEL 0 k (x INT s SEGDES) OVER s
m = MAX_REDUCE INT x s
d = DIST INT m s
OUT d
RET
FUNC MAIN
RET
)",
     R"(p:4:1: error: kernel k: DIST cannot read m: it has a value for each segment, which is known only at the segment's end
  d = DIST INT m s
  ^~~~~~~~~~~~~~~~
)"},
    {"GatherFromInside",
     R"(FCODE 1
KERNEL 0 k (x INT i INT s SEGDES) OVER s
n = NOT INT x
g = BPERMUTE INT n i s s
OUT g
RET
FUNC MAIN
RET
)",
     R"(p:4:1: error: kernel k: BPERMUTE cannot read n: a gather reads it anywhere, so it must be complete
  g = BPERMUTE INT n i s s
  ^~~~~~~~~~~~~~~~~~~~~~~~
)"},
    {"ScanOfScan",
     R"(FCODE 1
KERNEL 0 k (x INT s SEGDES) OVER s
a = +_SCAN INT x s
b = +_SCAN INT a s
OUT b
RET
FUNC MAIN
RET
)",
     R"(p:4:1: error: kernel k: +_SCAN cannot read a: it depends on a scan of the same traversal, whose carry is not known in time
  b = +_SCAN INT a s
  ^~~~~~~~~~~~~~~~~~
)"},
    {"PackedGoesOn",
     R"(FCODE 1
KERNEL 0 k (x INT f BOOL s SEGDES) OVER s
y d = PACK INT x f s
z = NOT INT y
OUT z
RET
FUNC MAIN
RET
)",
     R"(p:4:1: error: kernel k: NOT cannot read y: packed elements are an index space of their own
  z = NOT INT y
  ^~~~~~~~~~~~~
)"},
    {"NoSteps",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
OUT x
RET
FUNC MAIN
RET
)",
     R"(p:2:1: error: kernel k: it has no steps
  KERNEL 0 k (x INT) OVER x
  ^~~~~~
)"},
    {"InputAsResult",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = NOT INT x
OUT x
RET
FUNC MAIN
RET
)",
     R"(p:2:1: error: kernel k: x cannot be a result: it is not a result of the kernel
  KERNEL 0 k (x INT) OVER x
  ^~~~~~
)"},
    {"NoResults",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = NOT INT x
OUT
RET
FUNC MAIN
RET
)",
     R"(p:2:1: error: kernel k: it has no results
  KERNEL 0 k (x INT) OVER x
  ^~~~~~
)"},
    {"ResultTwice",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = NOT INT x
OUT y y
RET
FUNC MAIN
RET
)",
     R"(p:2:1: error: kernel k: y is a result twice
  KERNEL 0 k (x INT) OVER x
  ^~~~~~
)"},
    {"Twice",
     R"(FCODE 1
KERNEL 0 a (x INT) OVER x y = NOT INT x OUT y RET
KERNEL 0 b (x INT) OVER x y = NOT INT x OUT y RET
FUNC MAIN
RET
)",
     R"(p:3:1: error: KERNEL 0 is defined twice
  KERNEL 0 b (x INT) OVER x y = NOT INT x OUT y RET
  ^~~~~~
p:2:1: note: the first definition
  KERNEL 0 a (x INT) OVER x y = NOT INT x OUT y RET
  ^~~~~~
)"},
    {"CutOffBehindHead",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x

)",
     R"(p:2:25: error: a kernel ends with OUT, its results, and RET, not with the end of the file
  KERNEL 0 k (x INT) OVER x
                          ^
)"},
    {"CutOffInAStep",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = + INT x
)",
     R"(p:3:11: error: the name of a value was expected, not the end of the file
  y = + INT x
            ^
)"},
    {"CutOffBehindOut",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = NOT INT x
OUT y
)",
     R"(p:4:5: error: RET expected behind a kernel's results, not the end of the file
  OUT y
      ^
p:2:1: note: the kernel begins here
  KERNEL 0 k (x INT) OVER x
  ^~~~~~
)"},
    {"OutMissing",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = NOT INT x
RET
FUNC MAIN
RET
)",
     R"(p:4:1: error: a kernel ends with OUT, its results, and RET, not with RET
  RET
  ^~~
)"},
    {"WithoutVersion",
     R"(KERNEL 0 k (x INT) OVER x
y = NOT INT x
OUT y
RET
FUNC MAIN RET
)",
     R"(p:1:1: error: a program with kernels begins with FCODE 1
  KERNEL 0 k (x INT) OVER x
  ^~~~~~
)"},
    {"VersionOfTheFuture",
     R"(FCODE 2
FUNC MAIN RET
)",
     R"(p:1:7: error: this is FCODE of version 2; known is version 1
  FCODE 2
        ^
)"},
    {"UnknownNumber",
     R"(FCODE 1
KERNEL 0 k (x INT) OVER x
y = NOT INT x
OUT y
RET
FUNC MAIN
FUSED 1
RET
)",
     R"(p:7:7: error: the program has no KERNEL 1
  FUSED 1
        ^
)"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(, KernelReaderComplains, ::testing::ValuesIn(kBadKernels), test_name);

}  // namespace
}  // namespace vcode::testing

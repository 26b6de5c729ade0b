// Errors of the reader in the steps of a kernel.

#include <gtest/gtest.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

class KernelReaderComplainsOfSteps : public ::testing::TestWithParam<BadProgram> {};

TEST_P(KernelReaderComplainsOfSteps, Exactly) { EXPECT_EQ(read_complaints(GetParam().text), GetParam().complaints); }

// clang-format off
const BadProgram kBadSteps[] = {
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
     R"(p:4:1: error: kernel k: BPERMUTE cannot read n: it is read anywhere, so it must be complete
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
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(, KernelReaderComplainsOfSteps, ::testing::ValuesIn(kBadSteps), test_name);

}  // namespace
}  // namespace vcode::testing

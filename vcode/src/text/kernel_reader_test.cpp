// Errors of the reader in the heads, inputs and results of kernels.

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
     R"(p:2:15: error: the input x needs its type (INT, BOOL, FLOAT, BYTE or SEGDES), not y
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
     R"(p:2:15: error: the input x needs its type (INT, BOOL, FLOAT, BYTE or SEGDES), not CHAR
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

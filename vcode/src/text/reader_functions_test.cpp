// Errors of the reader in characters, functions, branches and calls.

#include <gtest/gtest.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

class ReaderComplainsOfFunctions : public ::testing::TestWithParam<BadProgram> {};

TEST_P(ReaderComplainsOfFunctions, Exactly) { EXPECT_EQ(read_complaints(GetParam().text), GetParam().complaints); }

// clang-format off
const BadProgram kBadFunctions[] = {
    {"UnexpectedCharacter",
     R"(FUNC MAIN ; RET
)",
     R"(p:1:11: error: unexpected character ;
  FUNC MAIN ; RET
            ^
)"},
    {"UnexpectedByte",
     "FUNC MAIN \x01 RET\n",
     R"(p:1:11: error: unexpected byte 0x01
  FUNC MAIN   RET
            ^
)"},
    {"StrayClosingBrace",
     R"(FUNC MAIN { a { b } c } RET
)",
     R"(p:1:21: error: unknown instruction c
  FUNC MAIN { a { b } c } RET
                      ^
p:1:23: error: unexpected }; a comment ends at the first }
  FUNC MAIN { a { b } c } RET
                        ^
)"},
    {"UnterminatedComment",
     R"(FUNC MAIN
CONST INT 1 { never closed
RET
)",
     R"(p:2:13: error: this comment has no closing }
  CONST INT 1 { never closed
              ^
)"},
    {"UnterminatedString",
     R"(FUNC MAIN
CONST CHAR "never closed
RET
)",
     R"(p:2:12: error: this string has no closing quote
  CONST CHAR "never closed
             ^
)"},
    {"EmptyFile",
     R"()",
     R"(p:1:1: error: the file defines no function
  
  ^
)"},
    {"OnlyComments",
     R"({ nothing }
)",
     R"(p:2:1: error: the file defines no function
  
  ^
)"},
    {"NoFunction",
     R"(CONST INT 1
RET
)",
     R"(p:1:1: error: a program begins with FUNC, not with CONST
  CONST INT 1
  ^~~~~
)"},
    {"TextAfterLastRet",
     R"(FUNC MAIN
RET
CONST INT 1
)",
     R"(p:3:1: error: only FUNC or the end of the file can follow RET, not CONST
  CONST INT 1
  ^~~~~
)"},
    {"FuncWithoutName",
     R"(FUNC
RET
)",
     R"(p:2:1: error: FUNC needs a name, not RET
  RET
  ^~~
)"},
    {"NumberAsName",
     R"(FUNC 12 RET
)",
     R"(p:1:6: error: FUNC needs a name, not 12
  FUNC 12 RET
       ^~
)"},
    {"ReservedName",
     R"(FUNC LENGTH
RET
)",
     R"(p:1:6: error: LENGTH is a reserved word and cannot name a function
  FUNC LENGTH
       ^~~~~~
)"},
    {"AnnotationWithoutOutputs",
     R"(FUNC MAIN I INT
RET
)",
     R"(p:1:11: error: the annotation I ... needs its O ... list, not RET
  FUNC MAIN I INT
            ^
)"},
    {"MissingRet",
     R"(FUNC MAIN
CONST INT 1
)",
     R"(p:2:11: error: RET expected, not the end of the file
  CONST INT 1
            ^
p:1:6: note: the function begins here
  FUNC MAIN
       ^~~~
)"},
    {"MissingRetBeforeFunc",
     R"(FUNC MAIN
CONST INT 1
FUNC f
RET
)",
     R"(p:3:1: error: RET expected, not FUNC
  FUNC f
  ^~~~
p:1:6: note: the function begins here
  FUNC MAIN
       ^~~~
)"},
    {"RetInsideIfLast",
     R"(FUNC MAIN
CONST BOOL T
IF
RET
)",
     R"(p:4:1: error: RET inside IF: an ENDIF is missing before it
  RET
  ^~~
p:3:1: note: the IF begins here
  IF
  ^~
)"},
    {"RetInsideIf",
     R"(FUNC MAIN
CONST BOOL T
IF RET ENDIF
RET
)",
     R"(p:3:4: error: RET inside IF: a function has one RET, at its end
  IF RET ENDIF
     ^~~
p:3:1: note: the IF begins here
  IF RET ENDIF
  ^~
)"},
    {"MissingEndif",
     R"(FUNC MAIN
CONST BOOL T
IF
CONST INT 1
)",
     R"(p:3:1: error: this IF has no ENDIF
  IF
  ^~
p:4:11: error: RET expected, not the end of the file
  CONST INT 1
            ^
p:1:6: note: the function begins here
  FUNC MAIN
       ^~~~
)"},
    {"SecondElse",
     R"(FUNC MAIN
CONST BOOL T IF CONST INT 1 ELSE CONST INT 2 ELSE CONST INT 3 ENDIF
RET
)",
     R"(p:2:46: error: this IF has an ELSE already
  CONST BOOL T IF CONST INT 1 ELSE CONST INT 2 ELSE CONST INT 3 ENDIF
                                               ^~~~
p:2:29: note: the first ELSE
  CONST BOOL T IF CONST INT 1 ELSE CONST INT 2 ELSE CONST INT 3 ENDIF
                              ^~~~
)"},
    {"ElseWithoutIf",
     R"(FUNC MAIN ELSE RET
)",
     R"(p:1:11: error: ELSE without IF
  FUNC MAIN ELSE RET
            ^~~~
)"},
    {"EndifWithoutIf",
     R"(FUNC MAIN ENDIF RET
)",
     R"(p:1:11: error: ENDIF without IF
  FUNC MAIN ENDIF RET
            ^~~~~
)"},
    {"TwoMains",
     R"(FUNC MAIN
RET
FUNC MAIN
RET
)",
     R"(p:3:6: error: MAIN is defined twice
  FUNC MAIN
       ^~~~
p:1:6: note: the first definition
  FUNC MAIN
       ^~~~
)"},
    {"UnresolvedCall",
     R"(FUNC MAIN
CALL quick_sort
RET
FUNC quicksort
RET
)",
     R"(p:2:6: error: there is no function quick_sort; did you mean quicksort?
  CALL quick_sort
       ^~~~~~~~~~
)"},
    {"UnresolvedCallNothingNear",
     R"(FUNC MAIN
CALL nowhere
RET
)",
     R"(p:2:6: error: there is no function nowhere
  CALL nowhere
       ^~~~~~~
)"},
    {"CallOfReservedWord",
     R"(FUNC MAIN
CALL LENGTH
RET
)",
     R"(p:2:6: error: LENGTH is a reserved word and names no function
  CALL LENGTH
       ^~~~~~
)"},
    {"CallWithoutName",
     R"(FUNC MAIN
CALL
RET
)",
     R"(p:2:1: error: CALL needs the name of a function, not RET
  CALL
  ^~~~
)"},
    {"DoubledLabel",
     R"(FUNC f
RET
FUNC f
RET
)",
     R"(p:3:6: warning: f is defined twice; this definition replaces the earlier one everywhere
  FUNC f
       ^
p:1:6: note: the earlier definition
  FUNC f
       ^
)"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(, ReaderComplainsOfFunctions, ::testing::ValuesIn(kBadFunctions), test_name);

}  // namespace
}  // namespace vcode::testing

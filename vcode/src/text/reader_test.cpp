#include "vcode/reader.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

class ReaderComplains : public ::testing::TestWithParam<BadProgram> {};

TEST_P(ReaderComplains, Exactly) { EXPECT_EQ(read_complaints(GetParam().text), GetParam().complaints); }

// clang-format off
const BadProgram kBadPrograms[] = {
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
     R"(p:2:1: error: SELECT needs a type: INT, BOOL or FLOAT
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
p:4:1: error: DIST SEGDES does not exist: DIST takes INT, BOOL or FLOAT
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
     R"(p:2:1: error: CONST needs a type (INT, BOOL, FLOAT, SEGDES or CHAR), not 5
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

INSTANTIATE_TEST_SUITE_P(, ReaderComplains, ::testing::ValuesIn(kBadPrograms), test_name);

/// The constants of `FUNC MAIN text RET`.
std::vector<Constant> constants(std::string_view text) {
  return read_good(fmt::format("FUNC MAIN {} RET", text)).constants;
}

TEST(Reader, NumbersAreDecidedOnWholeWords) {
  EXPECT_EQ(constants("CONST INT (+5 -5 007 -0)")[0].ints, (std::vector<std::int64_t>{5, -5, 7, 0}));
  EXPECT_EQ(constants("CONST FLOAT (1. -1.5 +2.25 1.e3 1.5E-3 2.5e+2)")[0].floats,
            (std::vector<double>{1, -1.5, 2.25, 1000, 0.0015, 250}));
  for (const char* word : {"1e5", ".5", "1-2", "5CONST", "inf", "1.0e", "1.0.0", "--1"})
    EXPECT_EQ(read_good(fmt::format("FUNC {} RET", word)).functions[0].name, word);
}

TEST(Reader, FloatsAreExact) {
  EXPECT_EQ(constants("CONST FLOAT 0.1")[0].floats[0], 0.1);
  EXPECT_EQ(constants("CONST FLOAT 2.2250738585072011e-308")[0].floats[0], 2.2250738585072011e-308);
  EXPECT_EQ(constants("CONST FLOAT 4.9e-324")[0].floats[0], 4.9e-324);
  EXPECT_EQ(constants("CONST FLOAT 1.7976931348623157e308")[0].floats[0], 1.7976931348623157e308);
  double zero = constants("CONST FLOAT -1.0e-999")[0].floats[0];
  EXPECT_EQ(zero, 0);
  EXPECT_TRUE(std::signbit(zero));
}

TEST(Reader, IntegersOf64Bits) {
  EXPECT_EQ(constants("CONST INT (9223372036854775807 -9223372036854775808)")[0].ints,
            (std::vector<std::int64_t>{INT64_MAX, INT64_MIN}));
}

TEST(Reader, BracketsAndQuotesSeparateWords) {
  std::vector<Constant> all = constants("CONST INT(1 2)CONST BOOL(T F)CONST CHAR\"x\"CONST SEGDES(3)");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].bools, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(all[2].ints, (std::vector<std::int64_t>{'x'}));
  EXPECT_EQ(all[3].type, Suffix::kSegdes);
}

TEST(Reader, StringsAreBytes) {
  EXPECT_EQ(constants("CONST CHAR \"\xC3\xA9\\n{}\"")[0].ints,
            (std::vector<std::int64_t>{-61, -87, '\\', 'n', '{', '}'}));
  EXPECT_EQ(constants("CONST CHAR \"a\nb\"")[0].ints, (std::vector<std::int64_t>{'a', '\n', 'b'}));
  EXPECT_TRUE(constants("CONST CHAR \"\"")[0].ints.empty());
}

TEST(Reader, BlanksAndComments) {
  Program p = read_good("{ a \"quote }\tFUNC\fMAIN\r\nCONST{ { }INT{}1\r\nRET{ end }");
  EXPECT_EQ(p.functions[0].name, "MAIN");
  EXPECT_EQ(p.constants[0].ints[0], 1);
}

TEST(Reader, Streams) {
  std::vector<Constant> all = constants("CONST INT NULL_STREAM CONST INT STDIN CONST INT STDOUT CONST INT STDERR");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(all[i].ints, (std::vector<std::int64_t>{i - 1}));
  EXPECT_EQ(all[2].stream, Stream::kStdout);
}

TEST(Reader, EveryOperationWithEachOfItsSuffixes) {
  for (const OpInfo& row : all_ops())
    for (int s = 0; s < kSuffixes; ++s) {
      auto suffix = static_cast<Suffix>(s);
      std::string text = fmt::format("FUNC MAIN {} {} RET", row.text, suffix_name(suffix));
      if (row.takes(suffix)) {
        Instruction i = read_good(text).functions[0].body.at(0);
        EXPECT_EQ(i.op, row.op) << text;
        EXPECT_EQ(i.suffix, suffix) << text;
      } else {
        EXPECT_NE(read_complaints(text), "") << text;
      }
    }
}

TEST(Reader, ReservedWordsCannotNameFunctions) {
  for (const OpInfo& row : all_ops()) EXPECT_NE(read_complaints(fmt::format("FUNC {} RET", row.text)), "");
  for (const char* word : {"FUNC", "RET",  "CALL",   "IF",    "ELSE",   "ENDIF",  "CONST",       "COPY", "POP",
                           "CPOP", "PAIR", "UNPAIR", "INT",   "BOOL",   "FLOAT",  "SEGDES",      "CHAR", "T",
                           "F",    "I",    "O",      "STDIN", "STDOUT", "STDERR", "NULL_STREAM", "FUSED"})
    EXPECT_NE(read_complaints(fmt::format("FUNC {} RET", word)), "") << word;
}

TEST(Reader, LabelsOfAnyMakeAndLength) {
  for (const std::string& label : {std::string("a.b_c-1+x=y<z>!%/*Q"), std::string("9lives"), std::string("main"),
                                   std::string("KERNEL"), std::string("FCODE"), std::string(100'000, 'x')}) {
    Program p = read_good(fmt::format("FUNC MAIN CALL {} RET FUNC {} RET", label, label));
    EXPECT_EQ(p.functions[1].name, label);
    EXPECT_EQ(p.functions[0].body[0].target, 1u);
  }
}

TEST(Reader, AnnotationIsKept) {
  Program p = read_good("FUNC MAIN I INT SEGDES O FLOAT RET FUNC f I O RET");
  EXPECT_EQ(p.functions[0].annotation, (Annotation{{Suffix::kInt, Suffix::kSegdes}, {Suffix::kFloat}}));
  EXPECT_EQ(p.functions[1].annotation, Annotation{});
}

TEST(Reader, IfsKnowTheirPartners) {
  std::vector<Instruction> body = read_good("FUNC MAIN IF PAIR IF ENDIF ELSE ENDIF RET").functions[0].body;
  EXPECT_EQ(body[0].target, 4u);
  EXPECT_EQ(body[2].target, 3u);
  EXPECT_EQ(body[4].target, 5u);
}

TEST(Reader, EntryIsMainElseTheFirst) {
  EXPECT_EQ(read_good("FUNC f RET FUNC g RET").entry, 0u);
  EXPECT_EQ(read_good("FUNC f RET FUNC MAIN RET").entry, 1u);
}

TEST(Reader, LastDefinitionOfALabelWins) {
  Program p = read_good("FUNC f CALL g RET FUNC g CONST INT 1 RET FUNC f CONST INT 2 RET");
  ASSERT_EQ(p.functions.size(), 2u);
  EXPECT_EQ(p.functions[p.entry].name, "f");
  EXPECT_EQ(p.functions[p.entry].body[0].statement, Statement::kConst);
}

TEST(Reader, KernelSections) {
  Program p = read_good(
      "FCODE 1\n{ c }\nKERNEL 3 hull (x FLOAT f BOOL s SEGDES) OVER s q d = PACK FLOAT x f s OUT d q RET\n"
      "KERNEL 0 k (x INT) OVER x y = NOT INT x OUT y RET\nFUNC MAIN FUSED 3 RET");
  EXPECT_TRUE(p.is_fcode);
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.kernels[0].number, 3);
  EXPECT_EQ(p.kernels[0].name, "hull");
  EXPECT_EQ(p.kernels[0].input_count, 3u);
  EXPECT_EQ(p.kernels[0].over, 2u);
  ASSERT_EQ(p.kernels[0].steps.size(), 1u);
  EXPECT_EQ(p.kernels[0].steps[0].op, Op::kPack);
  EXPECT_EQ(p.kernels[0].steps[0].operands, (std::vector<KernelVar>{0, 1, 2}));
  EXPECT_EQ(p.kernels[0].outputs, (std::vector<KernelVar>{4, 3}));
  EXPECT_EQ(p.functions[0].body[0].target, 0u);
}

TEST(Reader, SpansCoverWholeInstructions) {
  Source source("p", "FUNC MAIN\n CONST INT ( 1 2 ) { c }\n+ INT RET");
  Diagnostics diagnostics;
  Program p = parse_vcode(source, diagnostics).value();
  EXPECT_EQ(source.text(p.functions[0].body[0].span), "CONST INT ( 1 2 )");
  EXPECT_EQ(source.text(p.functions[0].body[1].span), "+ INT");
  EXPECT_EQ(source.text(p.functions[0].ret_span), "RET");
  EXPECT_EQ(source.position(p.functions[0].body[1].span.begin).line, 3u);
}

TEST(Reader, StopsAfterTwentyErrors) {
  std::string text = "FUNC MAIN\n";
  for (int i = 0; i < 1000; ++i) text += "FOO;\n";
  Source source("p", text + "RET\n");
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_vcode(source, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 21u);
  EXPECT_EQ(diagnostics.all().back().message, "too many errors; the rest is not looked at");
}

TEST(Reader, DeepNesting) {
  constexpr int kDepth = 200'000;
  std::string text = "FUNC MAIN\n";
  for (int i = 0; i < kDepth; ++i) text += "CONST BOOL T IF ";
  for (int i = 0; i < kDepth; ++i) text += "ENDIF ";
  EXPECT_EQ(read_good(text + "RET").functions[0].body.size(), 3u * kDepth);
}

TEST(Scanner, ClassesOfTokens) {
  Source source("p", "FUNC f { c } CONST INT (1 2.5) \"s\" ;");
  std::string seen;
  scan_vcode(
      source,
      [](void* context, std::string_view token_class, std::string_view text) {
        *static_cast<std::string*>(context) += fmt::format("{} {}|", token_class, text);
      },
      &seen);
  EXPECT_EQ(seen,
            "keyword FUNC|label f|keyword CONST|keyword INT|open (|integer 1|real 2.5|close )|string \"s\"|stray ;|");
}

}  // namespace
}  // namespace vcode::testing

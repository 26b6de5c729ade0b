#include "vcode/validator.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

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
     R"(p:3:1: error: LENGTH INT: operand a must be Int, Bool or Float but is Segdes
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

struct GoodProgram {
  const char* name;
  const char* text;
};

void PrintTo(const GoodProgram& program, std::ostream* out) { *out << program.name; }

class ValidatorAccepts : public ::testing::TestWithParam<GoodProgram> {};

TEST_P(ValidatorAccepts, Silently) { EXPECT_EQ(validate_complaints(GetParam().text), ""); }

// All of these run, odd as some are.
const GoodProgram kGoodPrograms[] = {
    {"Nothing", "FUNC MAIN RET"},
    {"UnreachableFunctionIsWrong", "FUNC MAIN RET FUNC f + INT + FLOAT RET"},
    {"CodeBehindExitIsWrong", "FUNC MAIN CONST INT 1 EXIT NOT BOOL POP 9 0 CALL f RET FUNC f CONST INT 1 NOT BOOL RET"},
    {"ExitInABranch", "FUNC MAIN CONST BOOL T IF EXIT ELSE CONST INT 1 ENDIF NOT INT RET"},
    {"BothBranchesExit", "FUNC MAIN CONST BOOL T IF EXIT ELSE EXIT ENDIF POP 1 0 RET"},
    {"CallThatExits", "FUNC MAIN CALL die POP 5 0 RET FUNC die CONST INT 0 EXIT POP 1 0 RET"},
    {"CallThatNeverReturns", "FUNC MAIN CALL loop POP 5 0 RET FUNC loop CALL loop RET"},
    {"BranchesOfDifferentType", "FUNC MAIN CONST BOOL T IF CONST INT 1 ELSE CONST FLOAT 1.0 ENDIF NOT INT RET"},
    {"BranchesOfDifferentHeight", "FUNC MAIN CONST BOOL T IF CONST INT 1 CONST INT 2 ELSE CONST INT 1 ENDIF + INT RET"},
    {"TypeChosenByFlag",
     "FUNC MAIN CONST INT 1 CONST BOOL T CALL f CONST FLOAT 1.0 CONST BOOL F CALL f RET "
     "FUNC f IF NOT INT ELSE FLOOR ENDIF RET"},
    {"DepthChosenByFlag", "FUNC MAIN CONST INT 1 CONST BOOL T CALL f RET FUNC f IF POP 1 0 ELSE POP 2 0 ENDIF RET"},
    {"ArgumentUsedAfterAPossibleExit",
     "FUNC MAIN CONST FLOAT 1.0 CONST BOOL T CALL f RET FUNC f IF EXIT ENDIF NOT INT RET"},
    {"ArgumentUsedAfterACallThatMayExit",
     "FUNC MAIN CONST FLOAT 1.0 CONST BOOL T CALL f RET FUNC f CALL g NOT INT RET FUNC g IF EXIT ENDIF RET"},
    {"RecursionOfUnknownDepth",
     "FUNC MAIN CONST INT 1 CONST INT 2 CONST BOOL F CONST BOOL T CALL drain RET FUNC drain IF CALL drain ENDIF RET"},
    {"DrainsTheStackThenExits",
     "FUNC MAIN CONST INT 7 CONST INT 8 CONST INT 2 CALL drain RET "
     "FUNC drain COPY 1 0 CONST INT 0 = INT IF EXIT ENDIF CONST INT 1 - INT POP 1 1 CALL drain RET"},
    {"Polymorphism",
     "FUNC MAIN CONST INT 1 CONST FLOAT 2.0 CALL swap NOT INT CPOP 1 1 FLOOR CALL swap RET FUNC swap CPOP 1 1 RET"},
    {"MutualRecursion",
     "FUNC MAIN CONST INT 7 CALL even NOT BOOL RET "
     "FUNC even COPY 1 0 CONST INT 0 = INT IF POP 1 0 CONST BOOL T ELSE CONST INT 1 - INT CALL odd ENDIF RET "
     "FUNC odd COPY 1 0 CONST INT 0 = INT IF POP 1 0 CONST BOOL F ELSE CONST INT 1 - INT CALL even ENDIF RET"},
    {"LengthOfAnotherType", "FUNC MAIN CONST FLOAT 1.0 LENGTH INT RET"},
    {"IfOnInt", "FUNC MAIN CONST INT 1 IF ENDIF RET"},
    {"WriteOfAnotherType",
     "FUNC MAIN CONST SEGDES 3 WRITE INT CONST INT 1 CONST INT 2 PAIR CONST INT STDOUT FWRITE CHAR RET"},
    {"MovesOfNothing", "FUNC MAIN COPY 0 5 POP 0 5 CPOP 0 5 RET"},
    {"PairPassedOn",
     "FUNC MAIN CONST INT 1 CONST FLOAT 2.0 PAIR CALL f FLOOR RET FUNC f UNPAIR CPOP 1 1 NOT INT CPOP 1 1 RET"},
    {"PairInOneBranch",
     "FUNC MAIN CONST BOOL T IF CONST INT 1 ELSE CONST INT 1 CONST INT 2 PAIR ENDIF UNPAIR NOT INT RET"},
    {"RecursiveEntryOnAFullerStack", "FUNC f CONST INT 1 CONST BOOL T IF CALL f ELSE COPY 2 0 ENDIF RET"},
    {"MainCallsItself", "FUNC MAIN CONST BOOL F IF CALL MAIN ENDIF CONST INT 1 RET"},
    {"FusedKernel",
     "FCODE 1 KERNEL 0 k (x FLOAT) OVER x y = FLOOR x OUT y RET FUNC MAIN CONST FLOAT 1.0 FUSED 0 NOT INT RET"},
    {"IfOverAnUnknownStack",
     R"(FUNC MAIN
CONST BOOL T
CALL GROW
CONST BOOL T
IF
CONST INT 1
ELSE
CONST INT 2
ENDIF
CONST INT 3
CONST INT 4
COPY 1 4
RET
FUNC GROW
IF
CONST INT 5
CONST INT 6
ELSE
CONST INT 7
ENDIF
RET
)"},
};

INSTANTIATE_TEST_SUITE_P(, ValidatorAccepts, ::testing::ValuesIn(kGoodPrograms),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Validator, StrictnessOfIfAndLength) {
  EXPECT_EQ(validate_complaints("FUNC MAIN CONST INT 1 IF ENDIF CONST FLOAT 1.0 LENGTH INT RET", {}, true),
            R"(p:1:23: error: IF: operand flag must be Bool but is Int
  FUNC MAIN CONST INT 1 IF ENDIF CONST FLOAT 1.0 LENGTH INT RET
                        ^~
p: note: in function MAIN, with the stack [Int] (top last)
p:1:48: error: LENGTH INT: operand a must be Int but is Float
  FUNC MAIN CONST INT 1 IF ENDIF CONST FLOAT 1.0 LENGTH INT RET
                                                 ^~~~~~~~~~
p: note: in function MAIN, with the stack [Float] (top last)
)");
  EXPECT_EQ(validate_complaints("FUNC MAIN CONST BOOL T IF ENDIF CONST FLOAT 1.0 LENGTH FLOAT RET", {}, true), "");
}

TEST(Validator, WidthOfConstants) {
  const char* wide = "FUNC MAIN CONST INT (-2147483649 2147483648) CONST SEGDES 3000000000 CONST FLOAT 1.0e39 RET";
  EXPECT_EQ(validate_complaints(wide, {ElemType::kI64, ElemType::kF64}), "");
  EXPECT_NE(
      validate_complaints(wide, {ElemType::kI32, ElemType::kF64}).find("-2147483649 does not fit in a 32-bit INT"),
      std::string::npos);
  EXPECT_EQ(validate_complaints(wide, {ElemType::kI64, ElemType::kF32}),
            R"(p:1:70: error: 1e+39 does not fit in a 32-bit FLOAT; run with --float=64
  FUNC MAIN CONST INT (-2147483649 2147483648) CONST SEGDES 3000000000 CONST FLOAT 1.0e39 RET
                                                                       ^~~~~~~~~~~~~~~~~~
)");
  EXPECT_EQ(validate_complaints("FUNC MAIN CONST INT (2147483647 -2147483648 2147483648) CONST FLOAT 3.4e38 RET",
                                {ElemType::kI32, ElemType::kF32}),
            "");
}

TEST(Validator, EveryOperationChecksEveryOperand) {
  for (const OpInfo& row : all_ops())
    for (int s = 0; s < kSuffixes; ++s) {
      auto suffix = static_cast<Suffix>(s);
      if (!row.takes(suffix)) continue;
      auto program = [&](int wrong) {
        std::string text = "FUNC MAIN ";
        for (int i = 0; i < row.signature.operand_count; ++i) {
          const Role& role = row.signature.operands[static_cast<std::size_t>(i)];
          bool anything = role.type == RoleType::kAnything, vector = role.type == RoleType::kVector;
          Kind kind = anything || vector ? Kind::kInt : Signature::kind(role, suffix);
          if (i == wrong) kind = vector || kind != Kind::kSegdes ? Kind::kSegdes : Kind::kInt;
          constexpr std::string_view kPush[] = {"CONST INT 1 ", "CONST BOOL T ", "CONST FLOAT 1.0 ", "CONST SEGDES 1 "};
          text += kPush[static_cast<int>(kind)];
        }
        return text + fmt::format("{} {} RET", row.text, suffix_name(suffix));
      };
      EXPECT_EQ(validate_complaints(program(-1)), "") << program(-1);
      for (int i = 0; i < row.signature.operand_count; ++i) {
        bool anything = row.signature.operands[static_cast<std::size_t>(i)].type == RoleType::kAnything;
        EXPECT_EQ(validate_complaints(program(i)).empty(), anything) << program(i);
      }
      if (row.signature.operand_count > 0) {
        EXPECT_NE(validate_complaints(fmt::format("FUNC MAIN {} {} RET", row.text, suffix_name(suffix))), "");
      }
    }
}

TEST(Validator, StopsAfterTwentyErrors) {
  std::string text = "FUNC MAIN\n";
  for (int i = 0; i < 1000; ++i) text += "CONST INT 1 NOT BOOL\n";
  Source source("p", text + "RET\n");
  Diagnostics diagnostics;
  Program program = parse_vcode(source, diagnostics).value();
  validate(program, {}, false, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 21u);
}

// Each of these would overflow the C stack, exhaust the memory or take forever if done naively.

std::string repeat(int times, auto line) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line(i);
  return text;
}

TEST(ValidatorUnderAttack, LongCallChain) {
  constexpr int kLength = 100'000;
  std::string complaints =
      validate_complaints(repeat(kLength, [](int i) { return fmt::format("FUNC f{}\nCALL f{}\nRET\n", i, i + 1); }) +
                          fmt::format("FUNC f{}\nPOP 1 0\nRET\n", kLength));
  EXPECT_EQ(complaints.substr(0, complaints.find('\n')),
            "p:300002:1: error: stack underflow: POP 1 0 reaches below the bottom of the stack");
  EXPECT_NE(complaints.find("... and so on, 100000 calls in all"), std::string::npos);
}

TEST(ValidatorUnderAttack, DeeplyNestedIfs) {
  constexpr int kDepth = 100'000;
  EXPECT_EQ(validate_complaints("FUNC MAIN " + repeat(kDepth, [](int) { return "CONST BOOL T IF CONST INT 1 ELSE "; }) +
                                "CONST INT 2 " + repeat(kDepth, [](int) { return "ENDIF "; }) + "NOT INT RET"),
            "");
}

TEST(ValidatorUnderAttack, ResultsThatDouble) {
  EXPECT_EQ(validate_complaints(
                "FUNC MAIN CALL f60 RET FUNC f0 CONST INT 1 RET " +
                repeat(60, [](int i) { return fmt::format("FUNC f{} CALL f{} CALL f{} RET ", i + 1, i, i); })),
            "");
}

TEST(ValidatorUnderAttack, PairsThatDouble) {
  EXPECT_EQ(validate_complaints(
                "FUNC MAIN CONST INT 1 CALL f60 RET FUNC f0 COPY 1 0 PAIR RET " +
                repeat(60, [](int i) { return fmt::format("FUNC f{} CALL f{} CALL f{} RET ", i + 1, i, i); })),
            "");
}

TEST(ValidatorUnderAttack, CopiesThatDouble) {
  EXPECT_EQ(
      validate_complaints("FUNC MAIN CONST INT 1 " +
                          repeat(60, [](int i) { return fmt::format("COPY {} 0 ", std::int64_t{1} << i); }) + "RET"),
      "");
}

TEST(ValidatorUnderAttack, LargestCounts) {
  EXPECT_NE(validate_complaints("FUNC MAIN CONST INT 1 COPY 9223372036854775807 9223372036854775807 RET"), "");
  validate_complaints("FUNC MAIN CALL f RET FUNC f POP 9223372036854775807 9223372036854775807 RET");
}

TEST(ValidatorUnderAttack, EffectThatGrowsWithEveryLevel) {
  EXPECT_EQ(validate_complaints("FUNC MAIN CONST INT 1 CALL g RET "
                                "FUNC g CONST BOOL F IF POP 1 0 CALL g CONST INT 1 ENDIF RET"),
            "");
}

TEST(ValidatorUnderAttack, RingOfCalls) {
  constexpr int kLength = 50'000;
  EXPECT_EQ(validate_complaints("FUNC MAIN CONST INT 1 CALL f0 RET " +
                                repeat(kLength,
                                       [](int i) {
                                         return fmt::format("FUNC f{} CONST BOOL T IF CALL f{} ENDIF RET ", i,
                                                            (i + kLength - 1) % kLength);
                                       })),
            "");
}

TEST(ValidatorUnderAttack, EveryoneCallsEveryone) {
  constexpr int kFunctions = 200;
  std::string calls = repeat(kFunctions, [](int i) { return fmt::format("CALL f{} ", i); });
  EXPECT_EQ(
      validate_complaints(
          "FUNC MAIN CALL f0 RET " +
          repeat(kFunctions,
                 [&](int i) { return fmt::format("FUNC f{} CONST BOOL F IF {} CONST INT 1 ENDIF RET ", i, calls); })),
      "");
}

TEST(ValidatorUnderAttack, ManyIfsOverADeepStack) {
  constexpr int kCount = 20'000;
  EXPECT_EQ(
      validate_complaints("FUNC MAIN " + repeat(kCount, [](int) { return "CONST INT 1 "; }) +
                          repeat(kCount, [](int) { return "CONST BOOL T IF CONST INT 1 POP 1 0 ENDIF "; }) + "RET"),
      "");
}

}  // namespace
}  // namespace vcode::testing

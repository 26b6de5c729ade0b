#include "vcode/validator.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

struct GoodProgram {
  const char* name;
  const char* text;
};

void PrintTo(const GoodProgram& program, std::ostream* out) { *out << program.name; }

class ValidatorAccepts : public ::testing::TestWithParam<GoodProgram> {};

TEST_P(ValidatorAccepts, Silently) { EXPECT_EQ(validate_complaints(GetParam().text), ""); }

// All of these programs run, however odd.
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
          constexpr std::string_view kPush[] = {"CONST INT 1 ", "CONST BOOL T ", "CONST FLOAT 1.0 ", "CONST BYTE 1 ",
                                                "CONST SEGDES 1 "};
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
  base::Source source("p", text + "RET\n");
  base::Diagnostics diagnostics;
  Program program = parse_vcode(source, diagnostics).value();
  validate(program, {}, false, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 21u);
}

}  // namespace
}  // namespace vcode::testing

#include "vcode/reader.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

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

TEST(Reader, BytesAreStringsOrNumbers) {
  EXPECT_EQ(constants("CONST BYTE \"a\xC3\"")[0].ints, (std::vector<std::int64_t>{'a', 195}));
  const Constant vector = constants("CONST BYTE (0 255)")[0], scalar = constants("CONST BYTE 7")[0];
  EXPECT_EQ(vector.ints, (std::vector<std::int64_t>{0, 255}));
  EXPECT_EQ(scalar.ints, (std::vector<std::int64_t>{7}));
  EXPECT_EQ(scalar.type, Suffix::kByte);
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

TEST(Reader, LabelsOfAnyCharactersAndLength) {
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

TEST(Reader, IfHasTheIndexOfItsElseAndEndif) {
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
  base::Source source("p", "FUNC MAIN\n CONST INT ( 1 2 ) { c }\n+ INT RET");
  base::Diagnostics diagnostics;
  Program p = parse_vcode(source, diagnostics).value();
  EXPECT_EQ(source.text(p.functions[0].body[0].span), "CONST INT ( 1 2 )");
  EXPECT_EQ(source.text(p.functions[0].body[1].span), "+ INT");
  EXPECT_EQ(source.text(p.functions[0].ret_span), "RET");
  EXPECT_EQ(source.position(p.functions[0].body[1].span.begin).line, 3u);
}

TEST(Reader, StopsAfterTwentyErrors) {
  std::string text = "FUNC MAIN\n";
  for (int i = 0; i < 1000; ++i) text += "FOO;\n";
  base::Source source("p", text + "RET\n");
  base::Diagnostics diagnostics;
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
  base::Source source("p", "FUNC f { c } CONST INT (1 2.5) \"s\" ;");
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

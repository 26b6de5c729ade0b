#include "vcode/kernel_rules.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "vcode/printer.h"
#include "vcode_testing.h"

namespace vcode::testing {
namespace {

/// The text of a kernel over `s` in which `reader` reads a value p made by `producer`. p is of type BOOL if it is to be
/// the flags of PACK, else INT.
std::string kernel_text(Producer producer, Reader reader) {
  constexpr std::string_view kMakers[kProducers] = {
      "",
      "p = CONST {T} {one}\n",
      "p = AND {T} {x} {x}\n",
      "p = DIST {T} {v} s\n",
      "p = BPERMUTE {T} {x} i u s\n",
      "p = AND_SCAN {T} {x} s\n",
      "p = AND_REDUCE {T} {x} s\n",
      "p = MAX_INDEX INT x s\n",
      "r = AND_REDUCE {T} {x} s\np = AND {T} r {v}\n",
      "p = PERMUTE {T} {x} i s\n",
      "p pd = PACK {T} {x} f s\n",
  };
  constexpr std::string_view kUses[kReaders] = {
      "y = - INT {p} over",
      "y = DIST INT {p} s",
      "y = BPERMUTE INT x {p} u s",
      "y = BPERMUTE INT {p} i u s",
      "y = MAX_SCAN INT {p} s",
      "y = MAX_REDUCE INT {p} s",
      "q = MIN_REDUCE INT x s\ny = - INT {p} q",
      "y = PERMUTE INT {p} i s",
      "y yd = PACK INT x {p} s",
      "y yd = PACK INT {p} f s",
      "y = +_REDUCE INT x {p}",
      "",
  };
  const bool flags = reader == Reader::kFlags;
  const std::string_view x = flags ? "f" : "x", v = flags ? "w" : "v";
  std::string_view p = producer != Producer::kInput ? "p" : reader == Reader::kDescriptor ? "s" : v;
  // PACK is the only producer of a descriptor.
  if (reader == Reader::kDescriptor && producer == Producer::kPack) p = "pd";
  const std::string maker =
      fmt::format(fmt::runtime(kMakers[static_cast<int>(producer)]), fmt::arg("T", flags ? "BOOL" : "INT"),
                  fmt::arg("x", x), fmt::arg("v", v), fmt::arg("one", flags ? "T" : "1"));
  const std::string use = fmt::format(fmt::runtime(kUses[static_cast<int>(reader)]), fmt::arg("p", p));
  return fmt::format(
      "FCODE 1\nKERNEL 0 k (x INT i INT f BOOL v INT w BOOL s SEGDES u SEGDES) OVER s\n"
      "{}over = DIST INT v s\n{}\nOUT {}\nRET\nFUNC MAIN RET\n",
      maker, use, reader == Reader::kOutput ? p : "y");
}

/// The pairs of producer and reader that docs/fcode.md allows: '.' if allowed, otherwise the reason, see why(). Rows by
/// Producer, columns by Reader: Map, Spread, Indices, Table, Scan, Reduce, Epilogue, Scatter, Flags, Pack, Descriptor,
/// Output.
constexpr std::string_view kExpected[kProducers] = {
    "...........n",  // input
    "s.ssssssssdn",  // constant
    ".e.a..e...d.",  // map
    ".e.a..e...d.",  // spread
    ".e.a..e...d.",  // gather
    ".e.ac.e.c.d.",  // scan
    "gggggg.gggg.",  // reduce
    "gggggg.gggg.",  // arg-reduce
    "gggggg.gggg.",  // epilogue
    "xxxxxxxxxxx.",  // scatter
    "ppppppppppp.",  // pack
};

/// Part of the sentence for a letter of the table.
std::string_view why(char letter) {
  switch (letter) {
    case 's':
      return "DIST must spread";
    case 'e':
      return "for each element, not for each segment";
    case 'a':
      return "it is read anywhere";
    case 'c':
      return "carry is not known in time";
    case 'g':
      return "known only at the segment's end";
    case 'x':
      return "complete only at the end of the traversal";
    case 'p':
      return "an index space of their own";
    case 'd':
      return "not a segment descriptor";
    case 'n':
      return "not a result of the kernel";
    default:
      return "";
  }
}

char expected(Producer producer, Reader reader) {
  return kExpected[static_cast<std::size_t>(producer)][static_cast<std::size_t>(reader)];
}

class KernelTable : public ::testing::TestWithParam<std::tuple<int, int>> {};

/// obstacle() agrees with the table, and the reader of FCODE accepts a kernel exactly if its pair is allowed.
TEST_P(KernelTable, Cell) {
  const auto producer = static_cast<Producer>(std::get<0>(GetParam()));
  const auto reader = static_cast<Reader>(std::get<1>(GetParam()));
  const char letter = expected(producer, reader);
  const std::string_view reason = obstacle(producer, reader);
  EXPECT_EQ(reason.empty(), letter == '.');
  EXPECT_NE(reason.find(why(letter)), reason.npos) << reason;
  const std::string complaints = read_complaints(kernel_text(producer, reader));
  if (letter == '.')
    EXPECT_EQ(complaints, "") << kernel_text(producer, reader);
  else if (reader == Reader::kDescriptor && producer != Producer::kPack)
    EXPECT_NE(complaints.find("must be Segdes"), complaints.npos) << complaints;
  else if (reader == Reader::kFlags && producer == Producer::kArgReduce)  // an arg-reduction yields INT only
    EXPECT_NE(complaints.find("must be Bool"), complaints.npos) << complaints;
  else if (reader == Reader::kMap && expected(producer, Reader::kEpilogue) == '.')  // the reader becomes an epilogue
    EXPECT_NE(complaints.find("cannot read over: it has a value for each element"), complaints.npos) << complaints;
  else
    EXPECT_NE(complaints.find(why(letter)), complaints.npos) << complaints << kernel_text(producer, reader);
}

INSTANTIATE_TEST_SUITE_P(, KernelTable,
                         ::testing::Combine(::testing::Range(0, kProducers), ::testing::Range(0, kReaders)));

TEST(KernelRules, ValuesAfterAScanCanBeNeitherScannedNorFlagsOfAPack) {
  const std::string head = "FCODE 1\nKERNEL 0 k (x INT s SEGDES) OVER s\na = +_SCAN INT x s\nb = + INT a x\n";
  const std::string tail = "RET\nFUNC MAIN RET\n";
  EXPECT_NE(read_complaints(head + "c = MAX_SCAN INT b s\nOUT c\n" + tail).find("carry"), std::string::npos);
  EXPECT_NE(read_complaints(head + "f = < INT b x\nc d = PACK INT x f s\nOUT c\n" + tail).find("carry"),
            std::string::npos);
  EXPECT_EQ(read_complaints(head + "c = MAX_REDUCE INT b s\nf = < INT x x\ng h = PACK INT b f s\nOUT c g\n" + tail),
            "");
}

TEST(KernelRules, ReductionOfAScanIsKnownAtTheSegmentsEnd) {
  const std::string head = "FCODE 1\nKERNEL 0 k (x INT v INT s SEGDES) OVER s\na = +_SCAN INT x s\n";
  const std::string tail = "RET\nFUNC MAIN RET\n";
  EXPECT_EQ(read_complaints(head + "r = MAX_REDUCE INT a s\ne = + INT r v\nOUT e\n" + tail), "");
  EXPECT_NE(read_complaints(head + "r = MAX_REDUCE INT a s\nb = + INT a r\nOUT b\n" + tail).find("for each element"),
            std::string::npos);
  EXPECT_NE(read_complaints(head + "r = MAX_REDUCE INT a s\nb = DIST INT r s\nOUT b\n" + tail).find("segment's end"),
            std::string::npos);
}

TEST(KernelRules, RepeatedKernelsHaveNextValuesAndAFlag) {
  const auto text = [](int repeated, const std::string& steps) {
    return "FCODE 1\n\nKERNEL 0 k (x INT y FLOAT n INT s SEGDES) OVER x REPEATED " + std::to_string(repeated) + "\n" +
           steps + "RET\n\nFUNC MAIN\nRET\n\n";
  };
  const std::string good = text(2, "a = + INT x n\nb = SQRT y\nm = < INT x n\nOUT a b m\n");
  EXPECT_EQ(read_complaints(good), "");
  EXPECT_EQ(print_vcode(read_good(good)), good);
  for (const auto& [bad, complaint] : {
           std::pair{text(2, "a = + INT x n\nm = < INT x n\nOUT a m\n"), "their results and one more"},
           {text(9, "a = + INT x n\nm = < INT x n\nOUT a m\n"), "an input for each value of the loop"},
           {text(1, "b = SQRT y\nm = < INT x n\nOUT b m\n"), "x cannot become b, as their types differ"},
           {text(1, "a = + INT x n\nb = - INT x n\nOUT a b\n"), "b does not tell where the loop goes on"},
           {text(1, "a = +_SCAN INT x s\nm = < INT x n\nOUT a m\n"), "a depends on several elements"},
           {text(1, "a = BPERMUTE INT x n s s\nm = < INT x n\nOUT a m\n"), "of which BPERMUTE reads other elements"},
           {text(1, "a = DIST INT x s\nm = < INT n a\nOUT a m\n"), "of which DIST reads other elements"},
       })
    EXPECT_NE(read_complaints(bad).find(complaint), std::string::npos) << bad << read_complaints(bad);
  EXPECT_NE(read_complaints(text(-1, "OUT x\n")).find("REPEATED needs the number"), std::string::npos);
}

TEST(KernelRules, OnlyDpermuteAndDfpermuteHaveDefaults) {
  for (const OpInfo& row : all_ops())
    EXPECT_EQ(has_defaults(row.op), row.op == Op::kDpermute || row.op == Op::kDfpermute) << row.text;
  EXPECT_EQ(reader_of(Op::kDpermute, 2), Reader::kTable);
  EXPECT_EQ(reader_of(Op::kDfpermute, 2), Reader::kScatter);
}

TEST(KernelRules, OperandsOfTypeSegdesAreReadAsDescriptors) {
  for (const OpInfo& row : all_ops()) {
    const Producer producer = producer_of(row.op);
    if (row.op_class == OpClass::kSystem) {
      EXPECT_EQ(producer, Producer::kInput) << row.text;
    }
    if (producer == Producer::kInput) continue;
    for (int k = 0; k < row.signature.operand_count; ++k)
      EXPECT_EQ(reader_of(row.op, k) == Reader::kDescriptor,
                row.signature.operands[static_cast<std::size_t>(k)].type == RoleType::kSegdes)
          << row.text;
  }
}

}  // namespace
}  // namespace vcode::testing

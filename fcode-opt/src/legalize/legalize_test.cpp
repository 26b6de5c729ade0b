#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// The operations that a program contains.
std::vector<bool> operations_of(const Block& block) {
  std::vector<bool> found(kOps);
  for (const Binding& binding : block.bindings) {
    if (binding.form == Binding::Form::kOp) found[static_cast<std::size_t>(binding.op)] = true;
    for (const Block& inner : binding.blocks) {
      const std::vector<bool> inside = operations_of(inner);
      for (std::size_t k = 0; k < found.size(); ++k) found[k] = found[k] || inside[k];
    }
  }
  return found;
}

/// A program of one operation on parameters of the kinds that its signature names; descriptors have one segment.
Program program_of(Op op, Suffix suffix) {
  Program program;
  Builder main(program, "MAIN");
  const Signature& signature = info(op).signature;
  std::vector<Var> operands;
  for (int k = 0; k < signature.operand_count; ++k)
    operands.push_back(main.parameter(Signature::kind(signature.operands[static_cast<std::size_t>(k)], suffix)));
  const Var result = main.op(op, suffix, operands);
  main.at({"x.nesl", 3, 4, "g", "Wrong."}, {}, true);
  main.ret({result});
  return program;
}

template <class Check>
void for_each_extension(Check&& check) {
  for (const OpInfo& row : all_ops()) {
    if (!can_expand(row.op)) continue;
    for (int s = 0; s < kSuffixes; ++s)
      if (const auto suffix = static_cast<Suffix>(s); row.takes(suffix)) check(row, suffix);
  }
}

TEST(Legalize, ExpansionsHaveOperationsOf1995Only) {
  for_each_extension([](const OpInfo& row, Suffix suffix) {
    SCOPED_TRACE(row.text);
    Program program = program_of(row.op, suffix);
    legalize(program, Target::vcode_1995());
    EXPECT_EQ(verify(program), "");
    const std::vector<bool> found = operations_of(program.functions[0].body);
    for (const OpInfo& other : all_ops())
      EXPECT_FALSE(other.is_extension() && found[static_cast<std::size_t>(other.op)]) << other.text;
  });
}

TEST(Legalize, OnlyTheMissingOperationIsExpanded) {
  Program program = program_of(Op::kMergeSegments, Suffix::kInt);
  Target target = Target::all();
  target.remove(Op::kMergeSegments);
  legalize(program, target);
  const std::string code = text(program);
  EXPECT_EQ(code.find("MERGE_SEGS"), std::string::npos) << code;
  EXPECT_NE(code.find("APPEND"), std::string::npos) << code;
}

TEST(Legalize, TargetWithAllOperationsChangesNothing) {
  Program program = program_of(Op::kSlice, Suffix::kInt);
  const std::string before = text(program);
  legalize(program, Target::all());
  EXPECT_EQ(text(program), before);
}

TEST(Legalize, EveryExtensionThatOthersCanComputeIsExpanded) {
  // Functions, hashes, the clock and files have no equal in 1995; the library does not use them for other purposes.
  std::string kept;
  for (const OpInfo& row : all_ops())
    if (row.is_extension() && Target::vcode_1995().has(row.op)) kept += std::string(row.text) + " ";
  EXPECT_EQ(kept, "POW ATAN2 HYPOT F_HASH PARSE_FLOAT CLOCK DATE FOPEN_AS GETENV ARGUMENTS ");
}

TEST(Legalize, CheckBecomesConditionalThatReportsAndExits) {
  Program program = program_of(Op::kRequire, Suffix::kNone);
  program.sites.back().values = "lengths %a and %b";
  legalize(program, Target::vcode_1995());
  const std::string code = text(program);
  EXPECT_NE(code.find("AND_REDUCE"), std::string::npos) << code;
  EXPECT_NE(code.find("CONST CHAR \"\nRUNTIME ERR..."), std::string::npos) << code;
  EXPECT_NE(code.find("EXIT  -- x.nesl:3:4 g \"Wrong.\"  in v2 ."), std::string::npos) << code;
}

TEST(Legalize, BytesBecomeInts) {
  Program program;
  Builder main(program, "MAIN");
  const Var fd = main.constant(0), none = main.constant(std::vector<std::int64_t>{});
  const std::vector<Var> read = main.ops(Op::kFreadChar, Suffix::kByte, {none, fd, fd});
  const Var s = main.op(Op::kMakeSegdes, Suffix::kNone, {main.op(Op::kLength, Suffix::kByte, {read[0]})});
  main.ret({main.op(Op::kByteToInt, Suffix::kNone, {main.op(Op::kPermute, Suffix::kByte, {read[0], read[1], s})})});
  legalize(program, Target::vcode_1995());
  EXPECT_EQ(verify(program), "");
  const std::string code = text(program);
  EXPECT_EQ(code.find("BYTE"), std::string::npos) << code;
  EXPECT_NE(code.find("= FREAD_CHAR v"), std::string::npos) << code;
  EXPECT_NE(code.find("= AND INT v"), std::string::npos) << code;  // codes that are read may be negative
  EXPECT_NE(code.find("= PERMUTE INT v"), std::string::npos) << code;
}

/// The text of the operation, after it has been expanded and recognized again.
std::string round_trip(Op op, Suffix suffix) {
  Program program = program_of(op, suffix);
  program.from_stack_code = true;
  legalize(program, Target::vcode_1995());
  simplify(program);
  recognize(program);
  eliminate_permutations(program);
  simplify(program);
  EXPECT_EQ(verify(program), "");
  return to_text(program);
}

TEST(Legalize, ExpansionsAreRecognized) {
  for (const auto& [op, suffix] : {std::pair{Op::kAssert, Suffix::kNone}, std::pair{Op::kElements, Suffix::kNone},
                                   std::pair{Op::kOffsets, Suffix::kNone}, std::pair{Op::kMaxIndex, Suffix::kInt},
                                   std::pair{Op::kMinIndex, Suffix::kFloat}, std::pair{Op::kSlice, Suffix::kInt},
                                   std::pair{Op::kMerge, Suffix::kFloat}, std::pair{Op::kLatest, Suffix::kInt},
                                   std::pair{Op::kCountInts, Suffix::kNone}}) {
    const std::string code = round_trip(op, suffix), name(info(op).text);
    EXPECT_NE(code.find("= " + name + " "), std::string::npos) << name << "\n" << code;
  }
}

TEST(Legalize, CountsFromOneNumberAreRecognized) {
  for (const int first : {0, 7}) {
    Program program;
    Builder main(program, "MAIN");
    const Var a = main.parameter(Kind::kInt, "a"), s = main.parameter(Kind::kSegdes, "s"),
              t = main.parameter(Kind::kSegdes, "t");
    const Var segments = main.op(Op::kLength, Suffix::kInt, {main.op(Op::kLengths, Suffix::kNone, {s})});
    const Var all = main.op(Op::kMakeSegdes, Suffix::kNone, {segments});
    const Var start = main.op(Op::kDist, Suffix::kInt, {main.constant(first), all});
    main.ret({main.op(Op::kCountInts, Suffix::kNone, {a, start, s, t})});
    program.from_stack_code = true;
    legalize(program, Target::vcode_1995());
    simplify(program);
    recognize(program);
    simplify(program);
    const std::string code = text(program);
    EXPECT_NE(code.find("= COUNT_INTS a.0 "), std::string::npos) << code;
    for (const char* operation : {"RANK_UP", "PERMUTE", "_SCAN"})
      EXPECT_EQ(code.find(operation), std::string::npos) << code;
  }
}

TEST(Legalize, RecognizedChecksOfALibraryKeepTheirSite) {
  Program program;
  Builder main(program, "MAIN");
  const Var good = main.parameter(Kind::kBool, "good", true);
  main.op(Op::kAssert, Suffix::kNone, {good});
  main.at({"", 0, 0, "", "No elements."}, {}, true);
  main.ret({});
  Target target = Target::all();
  target.remove(Op::kAssert);
  legalize(program, target);
  simplify(program);
  recognize(program);
  ASSERT_NE(text(program).find("= ASSERT good.0"), std::string::npos) << text(program);
  legalize(program, target);
  EXPECT_NE(text(program).find("EXIT  -- :0:0  \"No elements.\""), std::string::npos) << text(program);
}

TEST(Legalize, ExpansionsOverMergedSegmentsAreRecognized) {
  Program program;
  Builder main(program, "MAIN");
  const Var a = main.parameter(Kind::kInt, "a"), b = main.parameter(Kind::kInt, "b"),
            s = main.parameter(Kind::kSegdes, "s"), t = main.parameter(Kind::kSegdes, "t"),
            f = main.parameter(Kind::kBool, "f");
  const auto lengths = [&](Var of) { return main.op(Op::kLengths, Suffix::kNone, {of}); };
  const auto descriptor = [&](Var of) { return main.op(Op::kMakeSegdes, Suffix::kNone, {of}); };
  const Var both = descriptor(main.op(Op::kAdd, Suffix::kInt, {lengths(s), lengths(t)}));
  const Var merged = descriptor(main.op(Op::kMerge, Suffix::kInt, {f, lengths(s), lengths(t)}));
  const Var three = descriptor(main.op(Op::kAdd, Suffix::kInt, {lengths(both), lengths(s)}));
  main.ret({main.op(Op::kAppend, Suffix::kInt, {a, b, s, t, both}), both,
            main.op(Op::kAppend3, Suffix::kInt, {b, a, a, t, s, s, three}), three,
            main.op(Op::kMergeSegments, Suffix::kInt, {f, a, b, s, t, merged}), merged});
  program.from_stack_code = true;
  legalize(program, Target::vcode_1995());
  EXPECT_EQ(text(program).find("MERGE"), std::string::npos);
  simplify(program);
  recognize(program);
  merge_appends(program);
  simplify(program);
  const std::string code = text(program);
  for (const char* operation : {"= APPEND INT a.0 b.1 s.2 t.3 ", "= APPEND3 INT b.1 a.0 a.0 t.3 s.2 s.2 ",
                                "= MERGE_SEGS INT f.4 a.0 b.1 s.2 t.3 "})
    EXPECT_NE(code.find(operation), std::string::npos) << code;
  for (const char* operation : {"DPERMUTE", "PACK", "INDEX"})
    EXPECT_EQ(code.find(operation), std::string::npos) << code;
}

TEST(Legalize, CheckOfIndicesIsRecognized) {
  Program program;
  Builder main(program, "MAIN");
  const Var n = main.parameter(Kind::kInt, "n"), i = main.parameter(Kind::kInt, "i");
  const Var bounded = main.op(Op::kBound, Suffix::kNone, {n, i});
  main.at({"x.nesl", 3, 4, "g", "Out of bounds."}, {}, true);
  main.ret({main.op(Op::kAdd, Suffix::kInt, {bounded, n})});
  program.from_stack_code = true;
  legalize(program, Target::vcode_1995());
  simplify(program);
  recognize(program);
  simplify(program);
  const std::string code = text(program);
  EXPECT_NE(code.find("= BOUND n.0 i.1  -- x.nesl:3:4 g \"Out of bounds.\""), std::string::npos) << code;
  EXPECT_EQ(code.find("IF"), std::string::npos) << code;
}

}  // namespace
}  // namespace vcode::letform::testing

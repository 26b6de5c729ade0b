#include "site_comment.h"

#include <gtest/gtest.h>

#include "vcode/printer.h"
#include "vcode_testing.h"

namespace vcode::testing {
namespace {

std::string printed(const InstructionSite& site) {
  std::string out;
  CallNumbers numbers;
  append_site(out, site, {}, numbers);
  return out;
}

std::optional<InstructionSite> parsed(std::string_view text) {
  std::vector<InlinedCall> inlined;
  CallNumbers numbers;
  return parse_site(text, inlined, numbers);
}

TEST(SiteComment, Fields) {
  EXPECT_EQ(printed({{"sort.nesl", 3, 14, "quicksort", "index out of range"}, {0, 12}, true}),
            "{@sort.nesl:3:14|quicksort|index out of range|0 12 .}");
  EXPECT_EQ(printed({{"a", 1, 2, "f", ""}, {4}, false}), "{@a:1:2|f||4}");
  EXPECT_EQ(printed({{"a", 1, 2, "f", ""}, {}, true}), "{@a:1:2|f||.}");
  EXPECT_EQ(printed({}), "{@:0:0|||}");
  InstructionSite location_only{{"a", 1, 2, "f", ""}, {}, false};
  location_only.location_only = true;
  EXPECT_EQ(printed(location_only), "{@a:1:2|f}");
  EXPECT_EQ(parsed("a:1:2|f"), location_only);
}

TEST(SiteComment, CharactersThatASiteCannotContainAreReplaced) {
  EXPECT_EQ(printed({{"a|b", 1, 2, "f}", "x\ny"}, {}, false}), "{@a?b:1:2|f?|x?y|}");
}

TEST(SiteComment, RoundTrips) {
  for (const InstructionSite& site : {InstructionSite{{"sort.nesl", 3, 14, "quicksort", "a: b"}, {0, 12}, true},
                                      InstructionSite{{"c:\\dir\\a.nesl", 1, 4294967295u, "f", ""}, {7}, false},
                                      InstructionSite{{"", 0, 0, "", ""}, {}, true}, InstructionSite{}}) {
    std::string text = printed(site);
    EXPECT_EQ(parsed(text.substr(2, text.size() - 3)), site) << text;
  }
}

TEST(SiteComment, HasATextForTheValuesOfRequire) {
  const auto site = parsed("a:1:2|f|m|lengths %a and %b|1 .");
  ASSERT_TRUE(site);
  EXPECT_EQ(site->site.message, "m");
  EXPECT_EQ(site->site.values, "lengths %a and %b");
  EXPECT_EQ(site->nest, std::vector<std::uint32_t>{1});
  EXPECT_EQ(printed(*site), "{@a:1:2|f|m|lengths %a and %b|1 .}");
}

TEST(SiteComment, HasTheProgramsOwnMessage) {
  InstructionSite site{{"a", 1, 2, "f", "m"}, {1}, true};
  site.site.said = "\nC:\\new: wrong\n";
  EXPECT_EQ(printed(site), "{@a:1:2|f|m||\\nC:\\\\new: wrong\\n|1 .}");
  EXPECT_EQ(parsed("a:1:2|f|m||\\nC:\\\\new: wrong\\n|1 ."), site);
}

TEST(SiteComment, MalformedOnesAreOrdinaryComments) {
  for (const char* text :
       {"", "a", "a:1:2", "a:1|f", "a:1:2|f|m", "1:2|f|m|", ":2|f|m|", "a:1:|f|m|", "a:x:2|f|m|", "a:1:-2|f|m|",
        "a:1:4294967296|f|m|", "a:1:2|f|m|x", "a:1:2|f|m|1 -2", "a:1:2|f|m|. 1", "a:1:2|f|m|1.", "a:1:2|f|m|n|x",
        "a:1:2|f|m|v|s|1|1", "a:1:2|f|m|v|\\|1", "a:1:2|f|m|v|\\t|1"})
    EXPECT_FALSE(parsed(text)) << text;
}

TEST(SiteComment, SpellsInlinedCallsOutOnce) {
  const std::vector<InlinedCall> inlined = {
      {"a b.nesl", 9, 1, "main"}, {"a b.nesl", 7, 3, "", 0}, {"c<d>.nesl", 5, 2, "odd name", 1}};
  CallNumbers numbers;
  std::string text;
  for (const std::uint32_t call : {1u, 2u, 0u}) {
    InstructionSite site{{"a", 1, 2, "g", ""}, {4}, false};
    site.inlined = call;
    append_site(text, site, inlined, numbers);
  }
  EXPECT_EQ(text,
            "{@a:1:2|g <2  a b.nesl:7:3 <1 main a b.nesl:9:1||4}"
            "{@a:1:2|g <3 odd?name c?d>.nesl:5:2 <2||4}"
            "{@a:1:2|g <1||4}");

  std::vector<InlinedCall> read;
  CallNumbers known;
  std::vector<std::uint32_t> calls;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(rest.find('}') + 1)) {
    const auto site = parse_site(rest.substr(2, rest.find('}') - 2), read, known);
    ASSERT_TRUE(site);
    EXPECT_EQ(site->site.function, "g");
    calls.push_back(site->inlined);
  }
  EXPECT_EQ(calls, (std::vector<std::uint32_t>{1, 2, 0}));
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[2].file, "c?d>.nesl");
  EXPECT_EQ(read[2].line, 5u);
  EXPECT_EQ(read[2].around, 1u);
  EXPECT_EQ(read[1].function, "");
  EXPECT_EQ(read[0].function, "main");
  EXPECT_EQ(read[0].around, kNoCall);
}

TEST(SiteComment, MalformedCallIsPartOfTheFunctionName) {
  for (const char* function : {"f <", "f <x", "f <1 g", "f <1 g a:1", "f <1 <2", "f <1 g a:1:2 <x"}) {
    const auto site = parsed(std::string("a:1:2|") + function + "|m|");
    ASSERT_TRUE(site) << function;
    EXPECT_EQ(site->site.function, function);
    EXPECT_EQ(site->inlined, kNoCall);
  }
  EXPECT_EQ(parsed("a:1:2|f <7|m|")->site.function, "f") << "a call that is not known";
}

const InstructionSite* site_of(const Program& program, std::size_t instruction) {
  std::uint32_t site = program.functions[0].body[instruction].site;
  return site == kNoSite ? nullptr : &program.sites[site];
}

TEST(Sites, BelongToTheInstructionBeforeThemOnItsLine) {
  Program p = read_good(
      "FUNC f\n"
      "CONST INT 1 \t{@a:1:1|f||}\n"
      "{@a:2:1|f||}\n"
      "CONST INT (2){@a:3:1|f||0 .} {@a:4:1|f||}\n"
      "COPY 1 0 { an ordinary one } {@a:5:1|f||}\n"
      "+ {@a:6:1|f||} INT{@}\n"
      "CONST CHAR \"\n\"{@a:7:1|f||}\n"
      "RET {@a:8:1|f||}\n");
  ASSERT_EQ(p.sites.size(), 3u);
  ASSERT_EQ(p.functions[0].body.size(), 5u);
  EXPECT_EQ(site_of(p, 0)->site.line, 1u);
  EXPECT_EQ(site_of(p, 1)->site.line, 3u);
  EXPECT_EQ(site_of(p, 1)->nest, (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(site_of(p, 1)->outermost);
  EXPECT_EQ(site_of(p, 2), nullptr);
  EXPECT_EQ(site_of(p, 3), nullptr);
  EXPECT_EQ(site_of(p, 4)->site.line, 7u);
}

TEST(Sites, ArePrintedBehindTheirInstructions) {
  std::string text = "FUNC f\nCALL g {@a.nesl:1:2|f|boom|0 3 .}\nIF {@a.nesl:1:3|f||}\nENDIF\nRET\n\nFUNC g\nRET\n\n";
  Program program = read_good(text);
  EXPECT_EQ(print_vcode(program), text);
  EXPECT_EQ(print_instruction(program, program.functions[0].body[0]), "CALL g");
}

TEST(Sites, CountForEquality) {
  auto with = [](const std::string& comment) { return read_good("FUNC f CONST INT 1 " + comment + "\nRET"); };
  EXPECT_EQ(with("{@a:1:1|f||0}"), with(" {@a:1:1|f||0 }"));
  EXPECT_FALSE(with("{@a:1:1|f||0}") == with("{@a:1:1|f||0 .}"));
  EXPECT_FALSE(with("{@a:1:1|f||0}") == with(""));
  EXPECT_EQ(with("{ a }"), with(""));
}

}  // namespace
}  // namespace vcode::testing

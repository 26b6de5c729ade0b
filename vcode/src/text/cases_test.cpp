// The programs of the conformance corpus: programs that must run are accepted and round-trip, programs that must not
// parse are rejected.

#include <fstream>

#include <gtest/gtest.h>

#include "vcode/printer.h"
#include "vcode_testing.h"

namespace vcode::testing {
namespace {

struct CorpusCase {
  std::string name, program;
  bool strict = false;  ///< runs with -c
  int exit_status = 0;
};

void PrintTo(const CorpusCase& test_case, std::ostream* out) { *out << test_case.name; }

std::vector<CorpusCase> read_corpus() {
  std::vector<CorpusCase> cases;
  std::ifstream file(VCODE_CASES);
  bool in_program = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("@case ")) cases.push_back({line.substr(6), {}});
    if (line.starts_with("@exit ")) cases.back().exit_status = std::stoi(line.substr(6));
    if (line.starts_with("@args")) cases.back().strict = line.find(" -c") != line.npos;
    if (line.starts_with("@"))
      in_program = line == "@program";
    else if (in_program)
      cases.back().program += line + '\n';
  }
  return cases;
}

class Corpus : public ::testing::TestWithParam<CorpusCase> {};

TEST_P(Corpus, IsAcceptedOrRejected) {
  const CorpusCase& c = GetParam();
  if (c.name.starts_with("error-")) {
    EXPECT_EQ(c.exit_status, 1);
    EXPECT_NE(read_complaints(c.program), "");
    return;
  }
  Program program = read_good(c.program);
  EXPECT_EQ(read_good(print_vcode(program)), program);
  std::string complaints = validate_complaints(c.program, {}, c.strict);
  if (c.exit_status == 0) {
    EXPECT_EQ(complaints, "");
  }
}

INSTANTIATE_TEST_SUITE_P(, Corpus, ::testing::ValuesIn(read_corpus()), [](const auto& test) {
  std::string name = test.param.name;
  for (char& c : name)
    if (c == '-' || c == '.') c = '_';
  return name;
});

TEST(CorpusFile, HasCases) { EXPECT_GT(read_corpus().size(), 100u); }

}  // namespace
}  // namespace vcode::testing

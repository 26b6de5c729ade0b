#include "completion.h"

#include <gtest/gtest.h>

namespace nesl_cli {
namespace {

const std::vector<std::string> kNames = {"sum", "subseq", "sqrt", "plus_scan", "plus_reduce", "x~y"};
const std::vector<std::string> kCommands = {"time", "type", "load"};

Completion at(std::string_view before) { return complete(before, kNames, kCommands); }

TEST(Completion, OneCandidateIsInserted) {
  EXPECT_EQ(at("sq").insert, "rt");
  EXPECT_TRUE(at("sq").choices.empty());
  EXPECT_EQ(at("1 + SQ").insert, "rt");
  EXPECT_EQ(at("f(x,sq").insert, "rt");
  EXPECT_EQ(at("x~").insert, "y");
}

TEST(Completion, TheCommonPrefixOfSeveralCandidatesIsInserted) {
  EXPECT_EQ(at("p").insert, "lus_");
  EXPECT_EQ(at("plus_").insert, "");
  EXPECT_EQ(at("plus_").choices, (std::vector<std::string>{"plus_reduce", "plus_scan"}));
}

TEST(Completion, WithoutCandidatesNothingIsInserted) {
  for (const char* before : {"", "1 + ", "zz", "sum(", "sqrt"}) {
    EXPECT_EQ(at(before).insert, "") << before;
    EXPECT_TRUE(at(before).choices.empty()) << before;
  }
}

TEST(Completion, ColonsAtTheBeginningCompleteCommands) {
  EXPECT_EQ(at(":l").insert, "oad ");
  EXPECT_EQ(at(":t").choices, (std::vector<std::string>{"time", "type"}));
  EXPECT_EQ(at(":type sq").insert, "rt");
  EXPECT_EQ(at(":").choices.size(), 3u);
}

}  // namespace
}  // namespace nesl_cli

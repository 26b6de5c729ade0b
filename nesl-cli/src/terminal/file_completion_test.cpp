#include "file_completion.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace nesl_cli {
namespace {

struct FileCompletion : testing::Test {
  FileCompletion() {
    char name[] = "/tmp/nesl-completion-XXXXXX";
    directory = mkdtemp(name);
    for (const char* file : {"/one.nesl", "/only.txt", "/.hidden"}) std::ofstream(directory + file) << "";
    std::filesystem::create_directory(directory + "/sub");
  }
  ~FileCompletion() override { std::filesystem::remove_all(directory); }

  std::string insert(const std::string& before) { return complete_file(before).value().insert; }
  std::vector<std::string> choices(const std::string& before) { return complete_file(before).value().choices; }

  std::string directory;
};

TEST_F(FileCompletion, FilesAreCompletedBehindLoad) {
  EXPECT_EQ(insert(":load " + directory + "/one"), ".nesl");
  EXPECT_EQ(insert(":lo " + directory + "/su"), "b/");
  EXPECT_EQ(choices(":load " + directory + "/o"), (std::vector<std::string>{"one.nesl", "only.txt"}));
  EXPECT_EQ(insert(":load " + directory + "/o"), "n");
}

TEST_F(FileCompletion, FilesAreCompletedInStringsAndCloseThem) {
  EXPECT_EQ(insert("load \"" + directory + "/one"), ".nesl\"");
  EXPECT_EQ(insert("x = read_string_from_file(\"" + directory + "/onl"), "y.txt\"");
  EXPECT_EQ(insert("load \"" + directory + "/s"), "ub/");  // more follows
  EXPECT_EQ(insert("(\"a\\\"b\", `\", \"" + directory + "/onl"), "y.txt\"");
}

TEST_F(FileCompletion, HiddenFilesAreCompletedOnlyAfterADot) {
  EXPECT_EQ(choices("\"" + directory + "/").size(), 3u);
  EXPECT_EQ(insert("\"" + directory + "/."), "hidden\"");
}

TEST_F(FileCompletion, WithoutCandidatesNothingIsInserted) {
  EXPECT_EQ(insert("\"" + directory + "/zz"), "");
  EXPECT_EQ(insert("\"" + directory + "/nowhere/a"), "");
}

TEST(NoFileCompletion, OutsideOfStringsAndLoadNoFilesAreCompleted) {
  for (const char* before : {"", "su", ":type su", ":l", "(\"a\", su", "`\" + su", ":time x"})
    EXPECT_FALSE(complete_file(before).has_value()) << before;
}

}  // namespace
}  // namespace nesl_cli

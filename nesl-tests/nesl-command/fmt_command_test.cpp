// nesl fmt: files, folders and standard input, --check, and texts with errors.

#include <filesystem>

#include "command.h"

namespace {

struct Formatting : Command {};

TEST_F(Formatting, ReplacesFiles) {
  file("a.nesl", "x=1;\n");
  file("b.nesl", "y = 2;\n");
  const auto before = std::filesystem::last_write_time(directory.path() / "b.nesl");
  namespace fs = std::filesystem;
  fs::permissions(directory.path() / "a.nesl", fs::perms::owner_read | fs::perms::owner_write);
  nesl({"fmt", "a.nesl", "b.nesl"});
  expect(0, "", "");
  EXPECT_EQ(text_of("a.nesl"), "x = 1;\n");
  EXPECT_EQ(text_of("b.nesl"), "y = 2;\n");
  EXPECT_EQ(fs::last_write_time(directory.path() / "b.nesl"), before);
  EXPECT_EQ(fs::status(directory.path() / "a.nesl").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 2);
}

TEST_F(Formatting, OfStandardInputGoesToStandardOutput) {
  nesl({"fmt", "-"}, "x=[1,2];  % c %");
  expect(0, "x = [1, 2];  % c %\n", "");
  nesl({"fmt", "-"}, "x = (1;");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors.substr(0, 41), "<stdin>:1:5: error: this ( is not closed\n");
}

TEST_F(Formatting, IsCheckedWithoutChanges) {
  file("a.nesl", "x=1;\n");
  file("b.nesl", "y = 2;\n");
  std::filesystem::create_directory(directory.path() / "sub");
  file("sub/c.nesl", "z=3;\n");
  nesl({"fmt", "--check", "."});
  expect(1, "a.nesl\nsub/c.nesl\n", "");
  EXPECT_EQ(text_of("a.nesl"), "x=1;\n");
  nesl({"fmt", "--check", "b.nesl"});
  expect(0, "", "");
  nesl({"fmt", "--check", "-"}, "x=1;");
  expect(1, "<stdin>\n", "");
  nesl({"fmt", "."});
  expect(0, "", "");
  nesl({"fmt", "--check", "."});
  expect(0, "", "");
}

TEST_F(Formatting, LeavesFilesWithErrorsAlone) {
  file("a.nesl", "x=1;\ny = 'x;\nz=;\n");
  file("b.nesl", "y=2;\n");
  nesl({"fmt", "a.nesl", "b.nesl"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(text_of("a.nesl"), "x=1;\ny = 'x;\nz=;\n");
  EXPECT_EQ(text_of("b.nesl"), "y = 2;\n");
  EXPECT_EQ(result.errors.substr(0, 19), "a.nesl:3:3: error: ");
  nesl({"fmt", "nonesuch.nesl"});
  expect(1, "", "nesl: cannot open nonesuch.nesl: No such file or directory\n");
  nesl({"fmt"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("FILE"), std::string::npos) << result.errors;
}

TEST_F(Formatting, KeepsWhatProgramsDo) {
  const std::string program = read_text(std::string(NESL_SOURCE_DIR) + "/examples/quicksort.nesl");
  file("a.nesl", program);
  nesl({"run", "a.nesl"});
  const std::string before = result.output;
  nesl({"fmt", "a.nesl"});
  nesl({"run", "a.nesl"});
  expect(0, before, "");
}

}  // namespace

#include "base/files.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "read_text.h"

namespace base {
namespace {

/// Gives each test its own folder, removed at the end.
struct FilesTest : ::testing::Test {
  std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("files-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string error;

  FilesTest() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }
  ~FilesTest() override { std::filesystem::remove_all(folder); }

  std::string path(const char* name) const { return folder / name; }
  std::string content(const char* name) const { return read_text(folder / name); }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
  }
};

TEST_F(FilesTest, WritingReplacesTheFileAndNothingElse) {
  std::ofstream(path("out")) << "old";
  std::ofstream(path("out.part")) << "of someone else";
  EXPECT_TRUE(write_file(path("out"), "new", error)) << error;
  EXPECT_EQ(content("out"), "new");
  EXPECT_EQ(content("out.part"), "of someone else");
  EXPECT_EQ(files(), 2);
}

TEST_F(FilesTest, AFileThatCannotBeReplacedLeavesNothingBehind) {
  std::filesystem::create_directories(path("out") + "/inside");
  EXPECT_FALSE(write_file(path("out"), "new", error));
  EXPECT_EQ(error.find("cannot write "), 0u) << error;
  EXPECT_EQ(files(), 1);
}

TEST_F(FilesTest, AFileOfFourGibibytesIsRefusedUnread) {
  std::ofstream(path("large")) << "text";
  std::filesystem::resize_file(path("large"), UINT32_MAX);
  std::string text;
  EXPECT_FALSE(read_file(path("large"), text, error));
  EXPECT_EQ(error, path("large") + " is too large: a program may have 4 GiB");
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace base

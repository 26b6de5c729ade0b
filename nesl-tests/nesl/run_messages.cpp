// Compares the messages about wrong programs with the expected ones: run_messages [GoogleTest options] FILE.nesl...
// FILE.txt has the expected messages of FILE.nesl; with NESL_REBASE=1 in the environment it is overwritten.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../support/read_text.h"
#include "nesl-compiler/session.h"

namespace {

using Path = std::filesystem::path;

/// All messages about a text, as `nesl check` prints them.
std::string messages_of(const Path& path) {
  std::string messages;
  nesl::run_with_deep_stack([&] {
    nesl::Session session;
    const base::Source& source = session.add_source(path.filename(), read_text(path));
    base::Diagnostics diagnostics;
    session.read(source, diagnostics, [&](nesl::Unit& unit) {
      if (unit.kind != nesl::Unit::Kind::kValue) return true;
      if (session.compile(unit, false, diagnostics)) session.commit(unit);
      return true;
    });
    messages = render(source, diagnostics);
  });
  return messages;
}

class MessagesCase : public testing::Test {
 public:
  explicit MessagesCase(Path path) : path_(std::move(path)) {}

  void TestBody() override {
    const std::string messages = messages_of(path_);
    const Path expected = Path(path_).replace_extension(".txt");
    if (std::getenv("NESL_REBASE") != nullptr) {
      std::ofstream(expected, std::ios::binary) << messages;
      return;
    }
    EXPECT_NE(messages, "") << "nothing is wrong with " << path_;
    EXPECT_EQ(messages, read_text(expected));
  }

 private:
  Path path_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int k = 1; k < argc; ++k) {
    const Path path = argv[k];
    testing::RegisterTest("messages", path.stem().c_str(), nullptr, nullptr, argv[k], 1,
                          [path]() -> testing::Test* { return new MessagesCase(path); });
  }
  return RUN_ALL_TESTS();
}

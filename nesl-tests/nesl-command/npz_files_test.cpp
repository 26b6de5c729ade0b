// Archives of NumPy arrays.

#include "file_command.h"

namespace {

struct NpzFiles : FileCommand {
  static constexpr const char* kBoth = R"(read_npz(([0.0], [[0]]), ["x", "y"], "a.npz"))";

  void write(const std::string& function) {
    expect_value("write_" + function + R"(({0.5 * float(i) : i in [0:1000]}, [[1, 2], [3, 4]]), ["x", "y"], "a.npz"))",
                 "T");
  }
  void expect_wrong(const std::string& message) { expect_message(kBoth, "cannot read a.npz: " + message); }
  /// Changes bytes of the archive, counted from the entry of its first file in the directory at its end.
  void change_directory(std::size_t at, const std::string& bytes) {
    std::string archive = text_of("a.npz");
    file("a.npz", archive.replace(archive.find("PK\1\2") + at, bytes.size(), bytes));
  }
};

TEST_F(NpzFiles, RoundTrips) {
  for (const char* function : {"npz(", "npz_compressed("}) {
    write(function);
    expect_value(std::string("let (x, y) = ") + kBoth + " in (sum(x), y)", "(249750.0, [[1, 2], [3, 4]])");
    expect_value(R"(read_npz([[0]], ["y"], "a.npz"))", "[[1, 2], [3, 4]]");
  }
  write("npz(");
  const std::size_t stored = text_of("a.npz").size();
  write("npz_compressed(");
  EXPECT_LT(text_of("a.npz").size(), stored / 2);
}

TEST_F(NpzFiles, TypesAndNames) {
  write("npz(");
  expect_message(R"(read_npz([0.0], ["z"], "a.npz"))", "cannot read a.npz: there is no array z in the archive");
  expect_message(R"(read_npz([0], ["y"], "a.npz"))",
                 "cannot read a.npz: array y: the array has 2 dimensions, a value of type [int] has 1");
  expect_message(R"(read_npz([0], ["x"], "a.npz"))",
                 "cannot read a.npz: array x: the elements have dtype f8, which is not int");
  expect_message(R"(read_npz([0], ["x", "y"], "a.npz"))",
                 "cannot read a.npz: the number of names is 2, that of the arrays 1");
  expect_message(R"(read_npz([""], ["x"], "a.npz"))",
                 "cannot read a.npz: a value of type [[char]] is nothing for a file of format npz");
  expect_message(R"(write_npz(([0], [1]), ["x", "x"], "b.npz"))", "cannot write b.npz: two arrays have the name x");
}

TEST_F(NpzFiles, ThatAreWrong) {
  file("a.npz", "");
  expect_wrong("this is no zip archive, or its end is missing");
  write("npz_compressed(");
  const std::string good = text_of("a.npz");
  file("a.npz", good.substr(0, good.size() - 30));
  expect_wrong("this is no zip archive, or its end is missing");
  file("a.npz", good.substr(100));
  expect_wrong("this is no zip archive, or its end is missing");
  std::string changed = good;
  changed[200] = static_cast<char>(~changed[200]);
  file("a.npz", changed);
  expect_wrong("x.npy in the archive is damaged");
  const auto expect_changed = [&](std::size_t at, const std::string& bytes, const std::string& message) {
    file("a.npz", good);
    change_directory(at, bytes);
    expect_wrong(message);
  };
  expect_changed(8, "\1", "x.npy in the archive is encrypted");
  expect_changed(10, "\x0C", "x.npy in the archive is neither stored nor deflated");
  expect_changed(24, "\xFF\xFF\xFF\x7F", "x.npy in the archive promises more bytes than the archive can hold");
  expect_changed(20, "\xFF\xFF\xFF\x7F", "x.npy in the archive promises more bytes than the archive can hold");
}

}  // namespace

// Any bytes as a file of values: reading must end in a value of the wanted type, whose vectors have the lengths that
// they say, or in an error. A value that is written and read again is the same. The first byte chooses format and type.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>

#include "files/file_formats.h"

namespace {

/// Memory of which there is little, so that a file that claims to be large needs too much.
class LittleMemory final : public std::pmr::memory_resource {
  static constexpr std::size_t kLimit = std::size_t{64} << 20;

  void* do_allocate(std::size_t bytes, std::size_t) override {
    if (bytes > kLimit - used_) throw std::bad_alloc();
    used_ += bytes;
    return ::operator new(bytes);
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t) override {
    ::operator delete(data);
    used_ -= bytes;
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::size_t used_ = 0;
};

[[noreturn]] void fail(const interp::FileRequest& request, const char* what, const char* message = "") {
  std::fprintf(stderr, "%s %s: %s %s\n", request.format.c_str(), request.type.c_str(), what, message);
  std::abort();
}

/// The request that a byte chooses.
interp::FileRequest request_of(std::uint8_t choice) {
  static const interp::FileRequest kRequests[] = {
      {"", "csv", "[int]"},
      {"", "csv", "[float]"},
      {"", "csv", "[(int, float, bool, [char])]"},
      {"", "csv", "[[float]]"},
      {"", "csv", "[(float, float)]", {"separator=;", "skip=1", "missing=NA"}},
      {"", "named-csv", "[([char], int)]", {"name", "n"}},
      {"", "npy", "[int]"},
      {"", "npy", "[float]"},
      {"", "npy", "[bool]"},
      {"", "npy", "[[int]]"},
      {"", "npy", "[[float]]"},
      {"", "npz", "([int], [[float]])", {"a", "b"}},
      {"", "mtx", "[[(int, float)]]"},
      {"", "lines", "[[char]]"},
      {"", "binary", "[int]"},
      {"", "binary", "[float]"},
  };
  interp::FileRequest request = kRequests[choice % std::size(kRequests)];
  request.wide_ints = choice / std::size(kRequests) % 2 == 0;
  return request;
}

/// A folder for the files of this process.
struct Folder {
  Folder() : path((std::filesystem::temp_directory_path() / "file_fuzzer.XXXXXX").string()) {
    if (mkdtemp(path.data()) == nullptr) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

/// Checks that the vectors from `at` on are `count` values of a type.
void check_values(const interp::FileRequest& request, std::string_view type, const interp::FileValue& value,
                  std::size_t count, std::size_t& at) {
  if (type.front() == '(') {
    std::size_t begin = 1;
    int depth = 0;
    for (std::size_t k = 1; k < type.size(); ++k) {
      const bool ends = depth == 0 && (type[k] == ',' || type[k] == ')');
      if (ends) check_values(request, type.substr(begin, k - begin), value, count, at);
      if (ends) begin = k + 2;
      depth += (type[k] == '(' || type[k] == '[') - (!ends && (type[k] == ')' || type[k] == ']'));
    }
    return;
  }
  if (at == value.size()) fail(request, "a vector is missing");
  const interp::FileVector& vector = value[at++];
  if (vector.ints.size() + vector.floats.size() + vector.bools.size() != count) fail(request, "a length is wrong");
  if (type.front() != '[') return;
  std::size_t elements = 0;
  for (const std::int64_t length : vector.ints) {
    if (length < 0) fail(request, "a length is negative");
    elements += static_cast<std::size_t>(length);
  }
  check_values(request, type.substr(1, type.size() - 2), value, elements, at);
}

/// Whether two vectors have the same elements; the sign and the bits of a nan have no meaning.
bool same(const interp::FileVector& a, const interp::FileVector& b) {
  if (a.kind != b.kind || a.ints != b.ints || a.bools != b.bools || a.floats.size() != b.floats.size()) return false;
  for (std::size_t k = 0; k < a.floats.size(); ++k)
    if (a.floats[k] != b.floats[k] && (a.floats[k] == a.floats[k] || b.floats[k] == b.floats[k])) return false;
  return true;
}

/// Writes a value as a file of the same format and compares what is read from that.
void write_and_read(interp::FileRequest request, const interp::FileValue& value) {
  if (request.format == "csv") request.names.clear();
  request.name += ".copy";
  interp::FileColumns columns;
  for (const interp::FileVector& vector : value)
    columns.push_back({vector.kind, vector.ints, vector.floats, vector.bools});
  try {
    interp::write_file_value(request, columns);
  } catch (const interp::FileError&) {
    return;  // the format cannot represent it
  }
  try {
    const interp::FileValue again = interp::read_file_value(request);
    if (again.size() != value.size()) fail(request, "another number of vectors is read again");
    for (std::size_t k = 0; k < value.size(); ++k)
      if (!same(again[k], value[k])) fail(request, "another value is read again");
  } catch (const interp::FileError& error) {
    fail(request, "what is written is not read:", error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const Folder kFolder;
  LittleMemory memory;
  interp::FileRequest request = request_of(data[0]);
  request.name = kFolder.path + "/file";
  std::ofstream(request.name, std::ios::binary)
      .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
  request.memory = &memory;
  try {
    const interp::FileValue value = interp::read_file_value(request);
    std::size_t at = 0;
    check_values(request, request.type, value, 1, at);
    if (at != value.size()) fail(request, "a vector is too many");
    if (request.format != "lines" && request.format != "mtx") write_and_read(request, value);
  } catch (const interp::FileError&) {
  }
  return 0;
}

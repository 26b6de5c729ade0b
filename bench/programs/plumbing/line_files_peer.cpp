#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "../frame/peer_run.h"
#include "text_files.h"

namespace program_peers {
namespace {

/// Makes the lines of read_lines.nesl: eight words of two to four letters each.
std::string make_lines(std::int64_t n) {
  std::string text;
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 8 * k; i < 8 * k + 8; ++i) {
      for (std::int32_t j = 0; j < 2 + below(3, i); ++j) text += char('a' + below(26, 8 * i + j));
      text += ' ';
    }
    text += '\n';
  }
  return text;
}

struct Record {
  char name[12];
  std::int32_t length, number;
};

constexpr std::int64_t kColumn = 12, kNumberColumn = 8, kLine = kColumn + kNumberColumn + 1;

}  // namespace
}  // namespace program_peers

// Reads the file once. Finds the end of each line by memchr, and the word in the line by memmem. A line is a range of
// the text.
PROGRAM_PEER(read_lines) {
  const std::string made = make_lines(run.n());
  write_file("lines.txt", made.data(), std::int64_t(made.size()));
  const Buffer<char> text(made.size() + 1);
  struct Line {
    std::int64_t start, length;
  };
  const std::int64_t threads = run.team().threads();
  std::vector<std::vector<Line>> found(threads);
  for (auto& lines : found) lines.reserve(std::size_t(run.n()));
  run.time([&] {
    const std::int64_t size = read_file("lines.txt", text), grain = (size + threads - 1) / threads;
    run.team().for_chunks(size, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      found[chunk].clear();
      const char *at = text.data() + begin, *const last = text.data() + end, *const all = text.data() + size;
      const auto line_end = [&](const char* from) {
        return static_cast<const char*>(std::memchr(from, '\n', std::size_t(all - from)));
      };
      if (begin > 0 && at[-1] != '\n') at = line_end(at) + 1;
      while (at < last) {
        const char* stop = line_end(at);
        if (memmem(at, std::size_t(stop - at), " an", 3) != nullptr)
          found[chunk].push_back({at - text.data(), stop - at});
        at = stop + 1;
      }
    });
  });
  std::int64_t count = 0, letters = 0;
  for (const auto& lines : found)
    for (const Line& line : lines) ++count, letters += line.length;
  run.result(count, letters);
  // Bytes: the system reads and writes the text. Operations: the text is searched twice, 64 letters at a time, which
  // count as eight floats.
  run.cost(3.0 * double(made.size()), 2 * double(made.size()) / 8);
  run.report();
}

// Writes lines of a known length, so that every thread knows the positions of its lines.
PROGRAM_PEER(write_lines) {
  const std::int64_t n = run.n();
  const Buffer<Record> records(n, [](std::int64_t k) {
    Record record{{}, 1 + below(10, k), below(100000, k)};
    for (std::int32_t i = 0; i < record.length; ++i) record.name[i] = char('a' + below(26, 10 * k + i));
    return record;
  });
  const Buffer<char> text(n * kLine);
  run.time([&] {
    run.team().for_chunks(n, 4096, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const Record& record = records[k];
        char* line = text.data() + k * kLine;
        std::memset(line, ' ', kLine - 1);
        std::memcpy(line, record.name, std::size_t(record.length));
        char digits[kNumberColumn];
        const std::int64_t size = std::to_chars(digits, digits + kNumberColumn, record.number).ptr - digits;
        std::memcpy(line + kLine - 1 - size, digits, std::size_t(size));
        line[kLine - 1] = '\n';
      }
    });
    write_file("lines.txt", text.data(), n * kLine);
  });
  const FileSums sums = sums_of_file("lines.txt", n * kLine + 1);
  run.result(sums.size, sums.characters);
  run.cost(double(n * std::int64_t(sizeof(Record))) + 3.0 * double(sums.size), 2.0 * double(sums.size));
  run.report();
}

#include <charconv>

#include "../frame/peer_run.h"
#include "lists.h"
#include "text_files.h"

namespace program_peers {
namespace {

constexpr std::int64_t kWidest = 12;

/// Writes the numbers as lines of text; returns the length of the text.
std::int64_t write_lines_of(const Buffer<std::int32_t>& numbers, std::int64_t begin, std::int64_t end, char* text) {
  char* out = text;
  for (std::int64_t i = begin; i < end; ++i) {
    out = std::to_chars(out, out + kWidest, numbers[i]).ptr;
    *out++ = '\n';
  }
  return out - text;
}

Buffer<std::int32_t> make_numbers(std::int64_t n) {
  return Buffer<std::int32_t>(n, [](std::int64_t i) { return below(1000000, i) - 500000; });
}

}  // namespace
}  // namespace program_peers

// Formats each thread's share in a buffer of its own, with one write for each.
PROGRAM_PEER(write_numbers) {
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const Buffer<std::int32_t> numbers = make_numbers(n);
  const Buffer<char> text(threads * grain * kWidest);
  std::vector<std::int64_t> sizes(threads);
  run.time([&] {
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      sizes[chunk] = write_lines_of(numbers, begin, end, text.data() + begin * kWidest);
    });
    const auto file = open_file("numbers.txt", "w");
    for (std::int64_t chunk = 0; chunk < threads; ++chunk)
      std::fwrite(text.data() + chunk * grain * kWidest, 1, std::size_t(sizes[chunk]), file.get());
  });
  const FileSums sums = sums_of_file("numbers.txt", text.size());
  run.result(sums.size, sums.characters);
  // Bytes: the text is written to the buffer, and read from there and written again by the system.
  run.cost(4.0 * n + 3.0 * double(sums.size), 4.0 * double(sums.size));
  run.report();
}

// Reads the file once. Threads count the line ends of their shares, so that they know the positions of their numbers,
// and then parse digit by digit.
PROGRAM_PEER(read_numbers) {
  const std::int64_t n = run.n(), threads = run.team().threads();
  const Buffer<char> text(n * kWidest);
  write_file("numbers.txt", text.data(), write_lines_of(make_numbers(n), 0, n, text.data()));
  const Buffer<std::int32_t> numbers(n);
  std::vector<std::int64_t> counts(threads);
  std::int64_t size = 0;
  run.time([&] {
    size = read_file("numbers.txt", text);
    const std::int64_t grain = (size + threads - 1) / threads;
    if (threads > 1)
      run.team().for_chunks(size, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        std::int64_t count = 0;
        for (std::int64_t i = begin; i < end; ++i) count += text[i] == '\n';
        counts[chunk] = count;
      });
    run.team().for_chunks(size, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      // A line belongs to the share in which it begins, so a share may begin with the rest of an earlier line.
      std::int32_t* out = numbers.data();
      for (std::int64_t before = 0; before < chunk; ++before) out += counts[before];
      const char *at = text.data() + begin, *const last = text.data() + end;
      if (begin > 0 && at[-1] != '\n') {
        while (*at != '\n') ++at;
        ++at, ++out;
      }
      while (at < last) {
        const bool negative = *at == '-';
        at += negative;
        std::int32_t number = 0;
        while (*at != '\n') number = 10 * number + (*at++ - '0');
        ++at;
        *out++ = negative ? -number : number;
      }
    });
  });
  run.result(n, sum_by_place(numbers.data(), n));
  run.cost(3.0 * double(size) + 4.0 * n, 4.0 * double(size));
  run.report();
}

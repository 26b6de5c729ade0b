// Runs a program on ranks that are threads of this process, each of which runs it by itself, and prints the messages of
// each operation to standard error: run_on_threads RANKS:BLOCK[:PIECES] FILE, where BLOCK is the number of elements of
// a block, and PIECES the bytes of a piece. Kernels are not compiled.

#include <fcntl.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "thread_job.h"
#include "vcode-interp/run.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace {

int complain(const std::string& message) {
  fmt::print(stderr, "run_on_threads: {}\n", message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  int ranks = 0;
  std::int64_t block = 0;
  std::size_t pieces = interp::RunOptions::kPieceBytes;
  if (argc != 3 || std::sscanf(argv[1], "%d:%ld:%zu", &ranks, &block, &pieces) < 2 || ranks < 1 || block < 1)
    return complain("needs RANKS:BLOCK[:PIECES] FILE");
  std::string text, error;
  if (!base::read_file(argv[2], text, error)) return complain(error);
  const base::Source source(argv[2], std::move(text));
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, {}, false, diagnostics);
  if (!program || diagnostics.has_errors()) return complain(base::render(source, diagnostics));

  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  cvl::conformance::ThreadJob job(ranks, block);
  std::vector<int> statuses(static_cast<std::size_t>(ranks), 1);
  try {
    job.run([&](int rank) {
      std::string reason;
      const std::unique_ptr<cvl::Backend> backend = job.rank(rank).make_backend("cpu", {}, {.native = "off"}, reason);
      if (backend == nullptr) throw std::runtime_error(reason);
      interp::RunOptions options;
      options.job = &job.rank(rank);
      options.piece_bytes = pieces;
      if (rank != 0) options.standard_files = {nowhere, nowhere, nowhere};
      statuses[static_cast<std::size_t>(rank)] = interp::run_program(source, *program, *backend, options);
      if (statuses[static_cast<std::size_t>(rank)] != 0) return;
      if (const std::string traffic = backend->traffic(); rank == 0) fmt::print(stderr, "{}", traffic);
    });
  } catch (const std::exception& thrown) {
    return complain(thrown.what());
  }
  for (const int status : statuses)
    if (status != statuses[0]) return complain("ranks end with different statuses");
  return statuses[0];
}

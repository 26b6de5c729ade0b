#include "vcode-interp/ranks.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/end_process.h"
#include "base/files.h"
#include "cvl/loader.h"
#include "vcode/printer.h"

namespace interp {

namespace {

/// FNV-1a (Fowler, Noll, Vo) of words of eight bytes, to compare texts of several ranks.
std::int64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u ^ text.size();
  for (std::size_t begin = 0; begin < text.size(); begin += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + begin, std::min(sizeof word, text.size() - begin));
    hash = (hash ^ word) * 0x100000001B3u;
    hash ^= hash >> 32;  // the product has nothing of the upper bits in its lower ones
  }
  return static_cast<std::int64_t>(hash);
}

void lead_nowhere(int descriptor) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, descriptor);
  close(nowhere);
}

std::string content_of(const std::string& file) {
  std::string text, error;
  return base::read_file(file, text, error) ? text : "";
}

/// The vector libraries with which a rank computes.
std::string libraries_for(const std::string& backend) {
  std::string content;
  for (const std::string& name : {std::string("mpi"), backend == "auto" || backend == "mpi" ? "cpu" : backend})
    for (const std::string& directory : cvl::default_backend_directories()) {
      const std::string library = content_of(fmt::format("{}/libcvl-{}.so", directory, name));
      content += library;
      if (!library.empty()) break;
    }
  return content;
}

/// A message about the first rank whose text is another one than that of rank 0; empty if there is none.
std::string compare(cvl::RankJob& job, const char* what, const std::string& text) {
  const std::vector<std::int64_t> all = job.gather(hash_of(text));
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0]) return fmt::format("rank {} runs {} rank 0", r, what);
  return "";
}

}  // namespace

bool join_job(const std::string& command, std::unique_ptr<cvl::RankJob>& job) {
  std::string error;
  job = cvl::join_rank_job(cvl::default_backend_directories(), error);
  if (job == nullptr) {
    if (!error.empty()) fmt::print(stderr, "{}: {}\n", command, error);
    return error.empty();
  }
  if (job->rank() != 0)
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) lead_nowhere(descriptor);
  return true;
}

bool read_program_text(cvl::RankJob* job, const std::string& file, std::string& text, std::string& error) {
  if (job == nullptr) return base::read_file(file, text, error);
  std::string& said = text;
  bool is_read = job->rank() != 0 || base::read_file(file, text, error);
  job->broadcast(&is_read, sizeof is_read);
  if (!is_read) std::swap(said, error);
  std::size_t size = said.size();
  job->broadcast(&size, sizeof size);
  said.resize(size);
  job->broadcast(said.data(), size);
  if (!is_read) std::swap(said, error);
  return is_read;
}

std::string find_difference(cvl::RankJob* job, const vcode::Program& program, const std::string& backend) {
  if (job == nullptr) return "";
  std::string binary = compare(*job, "another binary than", content_of("/proc/self/exe"));
  std::string libraries = compare(*job, "with other vector libraries than", libraries_for(backend));
  std::string line = compare(*job, "with another command line than", content_of("/proc/self/cmdline"));
  std::string other = find_other_program(job, program);
  for (const std::string* const difference : {&binary, &libraries, &line})
    if (!difference->empty()) return *difference;
  return other;
}

std::string find_other_program(cvl::RankJob* job, const vcode::Program& program) {
  return job == nullptr ? "" : compare(*job, "another program, from other files, than", vcode::print_vcode(program));
}

void end_run(cvl::RankJob* job, int status, RunFailure::Kind kind, const std::string& report) {
  if (job != nullptr) {
    if (status != 0 && kind != RunFailure::Kind::kProgram) {
      status = base::finish_output(status);
      job->fail(job->rank() == 0 ? "" : report, status);
    }
    const int ended = base::finish_output(status);
    // Rank 0 alone knows whether its output has been written.
    if (ended != status) job->fail("", ended);
    job->finish();
  }
  base::end_program(status);
}

}  // namespace interp

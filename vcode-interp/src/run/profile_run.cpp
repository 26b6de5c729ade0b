// The profile of a run that the command line demands: what is recorded, and where it goes.

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/files.h"
#include "cvl/dispatch.h"
#include "cvl/rank_job.h"
#include "runtime/evaluator.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/profile_report.h"
#include "vcode-interp/run_flags.h"

namespace interp {

namespace {

using runtime::Value;

/// Length of the vectors whose sum measures the bandwidth: three of them exceed the caches. A profile of fewer bytes is
/// one of the caches, to which the bandwidth says nothing.
constexpr std::size_t kVectorBytes = std::size_t{32} << 20, kLeastBytes = std::size_t{16} << 20;

/// Bytes per second of the addition of long vectors, by the fastest of some repetitions, counted as profiles count
/// bytes; 0 if there is no memory for it.
double measure_bandwidth(cvl::Backend& backend, vcode::Widths widths) {
  constexpr int kRepetitions = 4;
  const cvl::MemoryUse use = backend.memory_use();
  if (use.limit < use.live + 4 * kVectorBytes) return 0;
  runtime::Evaluator evaluator(backend, widths);
  const auto bytes_of_number = vcode::elem_size(widths.int_type);
  const auto length = static_cast<std::int64_t>(kVectorBytes / bytes_of_number);
  const auto ones = [&] {
    Value made[2] = {cvl::with_int(widths.int_type, [&]<class Int>() { return Value::scalar(Int{1}); }),
                     Value::single_segment(length)};
    return evaluator.apply(vcode::Op::kDist, vcode::Suffix::kInt, made) ? std::move(made[0]) : Value();
  };
  const Value a = ones(), b = ones();
  double best = 0;
  for (int k = 0; k < kRepetitions; ++k) {
    Value sum[2] = {a, b};
    const auto begin = std::chrono::steady_clock::now();
    if (a.tag() == Value::Tag::kNone || b.tag() == Value::Tag::kNone ||
        !evaluator.apply(vcode::Op::kAdd, vcode::Suffix::kInt, sum) || !evaluator.settle())
      return 0;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, 3.0 * static_cast<double>(kVectorBytes) / seconds);
  }
  return best;
}

/// The device of the backend, by its number if that was chosen.
std::string title_of_device(const RunFlags& flags) {
  return flags.devices.empty() ? "device" : fmt::format("device {}", flags.devices[0]);
}

bool write_report(const std::string& command, const std::string& file, const std::string& text) {
  std::string error;
  if (base::write_file(file, text, error)) return true;
  fmt::print(stderr, "{}: {}\n", command, error);
  return false;
}

/// Why a file cannot be written, as far as that is seen without trying; empty if it probably can.
std::string why_not_writable(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path path(file);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (file == "-") return "";
  if (fs::is_directory(path, ignored)) return std::strerror(EISDIR);
  if (!fs::is_directory(folder, ignored)) return std::strerror(fs::exists(folder, ignored) ? ENOTDIR : ENOENT);
  return access(folder.c_str(), W_OK) == 0 || fs::exists(path, ignored) ? "" : std::strerror(errno);
}

}  // namespace

std::string unwritable_profile(const RunFlags& flags) {
  if (flags.run.job != nullptr) return "";
  for (const auto& [option, file] : {std::pair{"--profile", flags.profile_page}, {"--trace-out", flags.trace_file}})
    if (const std::string why = file.empty() ? "" : why_not_writable(file); !why.empty())
      return fmt::format("{}: {} cannot be written: {}", option, base::printable(file), why);
  return "";
}

std::unique_ptr<Profile> start_profile(RunFlags& flags) {
  if (!flags.profile && flags.profile_page.empty() && flags.trace_file.empty()) return nullptr;
  auto profile = std::make_unique<Profile>(!flags.trace_file.empty());
  flags.run.profile = profile.get();
  return profile;
}

ProfileContext profile_context(const Profile& profile, cvl::Backend& backend, const RunOptions& options) {
  std::uint64_t bytes = 0;
  for (const auto& [name, row] : profile.instructions()) bytes += row.bytes;
  // Nothing runs any more after an interrupt, and not all ranks can be expected to do so.
  const bool measures = bytes >= kLeastBytes && options.job == nullptr && pending_interrupt() == Interrupt::kNone;
  return {measures ? measure_bandwidth(backend, options.widths) : 0, options.source_line};
}

int finish_profile(const std::string& command, const RunFlags& flags, const Profile& profile, cvl::Backend& backend,
                   const RunFailure& failure) {
  const cvl::MemoryUse use = backend.memory_use();
  const cvl::RankJob* const job = flags.run.job;
  const bool others_call = job == nullptr || failure.kind == RunFailure::Kind::kProgram;
  const std::string traffic = flags.profile && others_call ? backend.traffic() : "";
  ProfileContext context{0, flags.run.source_line};
  if (flags.profile || !flags.profile_page.empty()) context = profile_context(profile, backend, flags.run);
  if (flags.profile) {
    fmt::print(stderr, "{}\npeak memory: {:.1f} MiB of vectors, {:.1f} MiB held\n", profile_table(profile, context),
               static_cast<double>(use.peak) / (1 << 20), static_cast<double>(use.held) / (1 << 20));
    if (!traffic.empty()) fmt::print(stderr, "{}: {}\n", title_of_device(flags), traffic);
    for (const OtherDevice& other : flags.run.other_devices)
      fmt::print(stderr, "device {}: {:.1f} MiB of vectors, {}\n", other.number,
                 static_cast<double>(other.backend->memory_use().peak) / (1 << 20), other.backend->traffic());
  }
  if (job != nullptr && job->rank() != 0) return 0;
  bool is_written = true;
  if (!flags.profile_page.empty())
    is_written = write_report(command, flags.profile_page, profile_page(profile, context));
  if (!flags.trace_file.empty())
    is_written = write_report(command, flags.trace_file, chrome_trace(profile)) && is_written;
  return is_written ? 0 : 1;
}

}  // namespace interp

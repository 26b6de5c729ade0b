#include "vcode-interp/run_flags.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cvl/rank_job.h"
#include "vcode-interp/interrupt.h"

namespace interp {

namespace {

[[noreturn]] void reject(std::string message) {
  throw CLI::ParseError(std::move(message), CLI::ExitCodes::ValidationError);
}

/// Parses a size, such as "500M" or "1.5G", to bytes.
std::size_t parse_size(const char* option, const std::string& text) {
  constexpr std::string_view kUnits = "KMGT";
  constexpr double kMost = 1ULL << 60;
  double number = 0;
  const auto [unit, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  std::string_view rest(unit, static_cast<std::size_t>(text.data() + text.size() - unit));
  if (!rest.empty()) {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0])));
    if (const std::size_t power = kUnits.find(letter); power != kUnits.npos) {
      number *= static_cast<double>(std::uint64_t{1} << (10 * (power + 1)));
      rest.remove_prefix(1);
      if (rest.starts_with('i')) rest.remove_prefix(1);
    }
    if (rest == "B" || rest == "b") rest = "";
  }
  if (error != std::errc() || !rest.empty() || !(number >= 1 && number <= kMost))
    reject(fmt::format("{}: '{}' is not a size; give a number above 0 of bytes, or with K, M, G or T, as in 500M",
                       option, text));
  return static_cast<std::size_t>(number);
}

double parse_seconds(const char* option, const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(seconds) || seconds <= 0)
    reject(fmt::format("{}: '{}' is not a time; give a number of seconds above 0", option, text));
  return seconds;
}

void add_devices(CLI::App& app, RunFlags& flags) {
  app.add_option_function<std::string>(
         "--devices",
         [&flags](const std::string& text) {
           std::string error;
           if (!read_devices(text, flags.devices, error)) reject("--devices: " + error);
         },
         "devices of a vector library for GPUs: by the first, and pieces of large calls by the others (default: the "
         "first that the driver has); of several ranks, one for each, in turns (default: all)")
      ->option_text("N,N...");
}

void add_size(CLI::App& app, const char* option, std::size_t& size, const char* description) {
  app.add_option_function<std::string>(
         option, [option, &size](const std::string& text) { size = parse_size(option, text); }, description)
      ->option_text("SIZE");
}

}  // namespace

void apply_trace_word(const std::string& word, RunFlags& flags) {
  if (word == "lex")
    flags.show_tokens = true;
  else if (word == "program")
    flags.show_program = true;
  else if (word == "link")
    flags.show_link = true;
  else if (word == "command")
    flags.run.trace.commands = true;
  else if (word == "stack")
    flags.run.trace.stack = true;
  else if (word == "values")
    flags.run.trace.stack = flags.run.trace.values = true;
  else if (word == "runtime")
    flags.run.trace.calls = true;
  else if (word == "heap")
    flags.run.trace.memory = true;
  else
    reject(fmt::format("'{}' is nothing that can be traced; choose from {}", word, kTraceWords));
}

void add_int_option(CLI::App& app, RunFlags& flags) {
  app.add_option_function<int>(
         "--int",
         [&flags](int bits) { flags.run.widths.int_type = bits == 64 ? vcode::ElemType::kI64 : vcode::ElemType::kI32; },
         "bits of an INT")
      ->check(CLI::IsMember({32, 64}))
      ->default_str(flags.run.widths.int_type == vcode::ElemType::kI64 ? "64" : "32");
}

void add_kernel_cache_option(CLI::App& app, RunFlags& flags) {
  app.add_option("--kernel-cache", flags.kernel_cache,
                 "where compiled kernels are kept for later runs: in this folder, or nowhere (off) (default: "
                 "nesl/kernels in $XDG_CACHE_HOME or ~/.cache)")
      ->option_text("DIR|off");
}

std::string kernel_cache_folder(const RunFlags& flags) {
  if (flags.kernel_cache == "off") return "";
  if (!flags.kernel_cache.empty()) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::absolute(flags.kernel_cache, error);
    return error ? "" : folder.string();
  }
  if (flags.run.sandbox) return "";
  // The XDG Base Directory Specification demands that relative names are ignored.
  if (const char* caches = std::getenv("XDG_CACHE_HOME"); caches != nullptr && caches[0] == '/')
    return std::string(caches) + "/nesl/kernels";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return std::string(home) + "/.cache/nesl/kernels";
  return "";
}

void add_machine_code_options(CLI::App& app, RunFlags& flags) {
  app.add_option("--backend", flags.backend, "vector library, as --version lists them, or auto for the best that works")
      ->capture_default_str()
      ->option_text("NAME");
  app.add_option("--threads", flags.backend_options.threads,
                 "threads of a vector library that has several (default: all)")
      ->check(CLI::Range(1, 4096))
      ->option_text("N");
  app.add_option("--simd", flags.simd,
                 "instruction set of a vector library for this processor (default: the best there is)")
      ->check(CLI::IsMember({"baseline", "avx2", "avx512"}))
      ->option_text("LEVEL");
  app.add_flag("--native-symbols", flags.backend_options.native_symbols,
               "give compiled kernels names that tell their place, for perf (/tmp/perf-PID.map) and gdb");
  add_kernel_cache_option(app, flags);
  add_int_option(app, flags);
  app.add_option_function<int>(
         "--float",
         [&flags](int bits) {
           flags.run.widths.float_type = bits == 32 ? vcode::ElemType::kF32 : vcode::ElemType::kF64;
         },
         "bits of a FLOAT")
      ->check(CLI::IsMember({32, 64}))
      ->default_str("64");
}

void add_native_option(CLI::App& app, RunFlags& flags) {
  app.add_option(
         "--native", flags.native,
         "which kernels are compiled to machine code: those that are worth it, beside the run (hot), none, or all "
         "before they run")
      ->check(CLI::IsMember({"off", "hot", "always"}))
      ->default_str("hot")
      ->option_text("off|hot|always");
}

void add_limit_options(CLI::App& app, RunFlags& flags) {
  add_size(app, "--memory", flags.backend_options.memory_limit,
           "most memory for vectors and stacks, as in 500M or 4G (default: half of what is free)");
  add_size(app, "--stack", flags.run.stack_limit,
           "most memory for calls inside each other, and so for recursion (default: a quarter of --memory)");
  app.add_option_function<std::string>(
         "--timeout", [&flags](const std::string& text) { flags.timeout = parse_seconds("--timeout", text); },
         "stop after this many seconds")
      ->option_text("SECONDS");
  app.add_flag(
      "--sandbox", flags.run.sandbox,
      "let the program touch nothing but the standard streams: FOPEN, FOPEN_AS, GETENV, SPAWN and load are refused");
}

void add_run_flags(CLI::App& app, RunFlags& flags) {
  flags.run.progress_line = ProgressLine::kOnTerminal;
  add_machine_code_options(app, flags);
  add_native_option(app, flags);
  app.add_option_function<std::string>(
         "--print", [&flags](const std::string& style) { flags.shortest_floats = style == "shortest"; },
         "print FLOATs with the fewest digits that are read back as the same FLOAT, or with 15 as the classic system")
      ->check(CLI::IsMember({"classic", "shortest"}))
      ->option_text("classic|shortest");
  add_limit_options(app, flags);
  add_devices(app, flags);
  app.add_option_function<std::string>(
         "--pieces",
         [&flags](const std::string& text) {
           flags.run.piece_bytes = text == "off" ? 0 : parse_size("--pieces", text);
         },
         "run parallel calls a piece at a time, of which each takes about so much memory, or whole (off) (default: 4M; "
         "on a device, whole as long as that fits)")
      ->option_text("SIZE|off");
  app.add_option(
         "--host-limit", flags.run.host_limit,
         "for tests: operations on vectors of at most N elements are computed on the host, whatever the backend")
      ->check(CLI::Range(std::int64_t{0}, runtime::kShortLimit))
      ->capture_default_str()
      ->option_text("N");
  app.add_option("--seed", flags.run.seed, "seed of the random numbers")->capture_default_str()->option_text("N");
  app.add_flag("--trace{all}", flags.trace_words)
      ->description(fmt::format("print each instruction and the stack before it to standard error; --trace=LIST, with "
                                "commas between, chooses from {}",
                                kTraceWords))
      ->each([&flags](const std::string& value) {
        for (const std::string& word : CLI::detail::split(value == "all" ? "stack,command" : value, ','))
          apply_trace_word(word, flags);
      });
  app.add_flag("--profile{table}", flags.profile_word)
      ->description(
          "print what each source line, function and instruction cost; --profile=html writes it to profile.html as a "
          "heat map over the source, --profile=FILE.html to another file")
      ->each([&flags](const std::string& value) {
        if (value == "table") {
          flags.profile = true;
          return;
        }
        if (value != "html" && !value.ends_with(".html"))
          reject(
              fmt::format("--profile: '{}' is neither table nor html nor the name of an .html file; --trace-out=FILE "
                          "writes a trace",
                          value));
        flags.profile_page = value == "html" ? "profile.html" : value;
      });
  app.add_option("--trace-out", flags.trace_file,
                 "write when each operation, kernel and call ran, on which thread, as a trace for Perfetto "
                 "(ui.perfetto.dev) or chrome://tracing")
      ->option_text("FILE");
  app.add_option_function<std::string>(
         "--progress",
         [&flags](const std::string& when) {
           flags.run.progress_line = when == "on"    ? ProgressLine::kAlways
                                     : when == "off" ? ProgressLine::kOff
                                                     : ProgressLine::kOnTerminal;
         },
         "show how far a run of more than two seconds has come: if standard error is a terminal (auto), always, or "
         "never")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->default_str("auto")
      ->option_text("auto|on|off");
  app.add_flag("--allow-spawn", flags.run.allow_spawn, "let the program start processes (SPAWN)");
}

std::string list_backends() {
  const auto directories = cvl::default_backend_directories();
  std::string text;
  for (const auto& [name, failure] : cvl::offered_backends(directories)) {
    std::string error = failure;
    const cvl::BackendPtr backend = failure.empty() ? cvl::load_backend(name, directories, {}, error) : nullptr;
    text += fmt::format("backend {}: {}\n", name, backend ? backend->description() : "not available: " + error);
  }
  return text.empty()
             ? fmt::format("no backend: there is no library libcvl-NAME.so in {}\n", fmt::join(directories, ", "))
             : text;
}

bool read_devices(const std::string& text, std::vector<int>& devices, std::string& error) {
  constexpr int kMost = 1023;
  devices.clear();
  for (const char *at = text.data(), *const end = at + text.size();;) {
    int number = -1;
    const auto [next, status] = std::from_chars(at, end, number);
    if (status != std::errc() || number < 0 || number > kMost || (next != end && *next != ',')) {
      error = fmt::format("'{}' is not a list of devices; give their numbers, with commas between, as in 0,1", text);
      return false;
    }
    if (std::ranges::find(devices, number) != devices.end()) {
      error = fmt::format("device {} is there twice in '{}'", number, text);
      return false;
    }
    devices.push_back(number);
    if (next == end) return true;
    at = next + 1;
  }
}

cvl::BackendPtr load_devices(RunFlags& flags, const std::vector<std::string>& directories,
                             const cvl::BackendOptions& options, std::string& error) {
  std::vector<cvl::BackendPtr> loaded = cvl::load_devices(flags.backend, directories, options, flags.devices, error);
  flags.run.other_devices.clear();
  if (loaded.empty()) {
    error = "devices: " + error;
    return nullptr;
  }
  for (std::size_t k = 1; k < loaded.size(); ++k)
    flags.run.other_devices.push_back({flags.devices[k], std::move(loaded[k])});
  return std::move(loaded[0]);
}

cvl::BackendPtr load_backend(RunFlags& flags, std::string& error, std::string& note) {
  cvl::BackendOptions options = flags.backend_options;
  options.simd = flags.simd.c_str();
  options.native = flags.native.c_str();
  const std::string kernel_cache = kernel_cache_folder(flags);
  options.kernel_cache = kernel_cache.c_str();
  options.stop_requested = [] { return pending_interrupt() != Interrupt::kNone; };
  if (flags.run.job != nullptr) return flags.run.job->make_backend(flags.backend, flags.devices, options, error);
  const auto directories = cvl::default_backend_directories();
  if (!flags.devices.empty()) return load_devices(flags, directories, options, error);
  return flags.backend == "auto" ? cvl::load_best_backend(directories, options, error, note)
                                 : cvl::load_backend(flags.backend, directories, options, error);
}

}  // namespace interp

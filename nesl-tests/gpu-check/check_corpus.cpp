// check_corpus [OPTION]... BACKEND FOLDER: runs the programs of a corpus on a vector library and compares their output
// with the recorded one, floats up to rounding. Programs run in worker processes, each with one instance of the
// library. A worker that dies or hangs is replaced, and its program has failed.
//   --jobs=N       number of workers (8)
//   --seconds=S    starts no program after this time (no limit)
//   --patience=S   time limit for one program (20)
//   --every=N      takes only every Nth run (1)
//   --host-limit=N as in vinterp (0: the library computes short vectors too)
//   --native=WHEN  as in vinterp (off)
//   --only=NAME    takes only the runs of this program
//   --fused        takes only the optimized programs
//   --worker       is a worker: answers numbers of runs with the output of their programs

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "../support/interpreter_testing.h"
#include "../support/read_text.h"
#include "../vcode/child_process.h"
#include "compare_results.h"
#include "corpus.h"
#include "worker_process.h"

namespace {

struct Setting {
  int jobs = 8;
  double seconds = 1e9, patience = 20;
  std::size_t every = 1;
  std::int64_t host_limit = 0;
  bool worker = false, fused = false;
  std::string native = "off";
  std::string only;
  std::string backend;
  std::filesystem::path corpus;
};

/// Returns false for an invalid command line.
bool read_arguments(int argc, char** argv, Setting& setting) {
  std::vector<std::string> names;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const std::string value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("--jobs="))
      setting.jobs = std::max(1, std::atoi(value.c_str()));
    else if (argument.starts_with("--seconds="))
      setting.seconds = std::atof(value.c_str());
    else if (argument.starts_with("--patience="))
      setting.patience = std::atof(value.c_str());
    else if (argument.starts_with("--host-limit="))
      setting.host_limit = std::clamp<std::int64_t>(std::atoi(value.c_str()), 0, runtime::kShortLimit);
    else if (argument.starts_with("--native="))
      setting.native = value;
    else if (argument.starts_with("--only="))
      setting.only = value;
    else if (argument == "--fused")
      setting.fused = true;
    else if (argument == "--worker")
      setting.worker = true;
    else if (argument.starts_with("--every="))
      setting.every = std::size_t(std::max(1, std::atoi(value.c_str())));
    else if (argument.starts_with("--"))
      return false;
    else
      names.push_back(argument);
  }
  if (names.size() != 2) return false;
  setting.backend = names[0];
  setting.corpus = std::filesystem::absolute(names[1]);
  return true;
}

/// A program and one of its variants.
struct Run {
  RecordedProgram program;
  Variant variant;
};

std::vector<Run> all_runs(const Setting& setting) {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(setting.corpus))
    if (setting.only.empty() || entry.path().filename() == setting.only) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<Run> runs;
  for (const auto& folder : folders) {
    RecordedProgram program{folder, read_text(folder / "input"), {}};
    std::istringstream options(read_text(folder / "options"));
    for (std::string line; std::getline(options, line);) program.options.push_back(line);
    for (const Variant& variant : kVariants)
      if (std::filesystem::exists(folder / variant.name) && (!setting.fused || variant.is_fused))
        runs.push_back({program, variant});
  }
  return runs;
}

/// The output and exit status of vinterp for a run, computed in this process; see run_program() of corpus.h.
std::string run_here(const Run& run, cvl::Backend& backend, std::int64_t host_limit) {
  const auto& [program, variant] = run;
  interp::RunOptions options;
  options.host_limit = host_limit;
  options.widths.float_type = variant.float_bits == 32 ? vcode::ElemType::kF32 : vcode::ElemType::kF64;
  for (const std::string& option : program.options) {
    if (option == "-c")
      options.strict = true;
    else if (option == "--int=64")
      options.widths.int_type = vcode::ElemType::kI64;
    else if (option != "--int=32")
      throw std::runtime_error(option + " is no option that programs of a corpus have");
  }
  const std::string text = read_text(program.folder / variant.program);
  const ScratchDirectory directory;
  std::filesystem::current_path(directory.path());
  const interp::testing::Outcome outcome = interp::testing::run_text(text, backend, options, program.input);
  std::filesystem::current_path("/");
  backend.take_fault();  // throws if the device is lost, after which this process is useless
  return result_text(outcome.status, outcome.out);
}

int answer_questions(const Setting& setting) {
  const std::vector<Run> runs = all_runs(setting);
  std::string error;
  cvl::BackendOptions options;
  options.native = setting.native.c_str();
  const cvl::BackendPtr backend =
      cvl::load_backend(setting.backend, cvl::default_backend_directories(), options, error);
  if (backend == nullptr) throw std::runtime_error(error);
  for (std::string line; std::getline(std::cin, line);)
    if (!send_reply(run_here(runs.at(std::stoul(line)), *backend, setting.host_limit))) break;
  return 0;
}

class Checker {
 public:
  Checker(const Setting& setting, std::vector<Run> runs) : setting_(setting), runs_(std::move(runs)) {}

  void check_all() {
    std::vector<std::jthread> threads;
    for (int j = 0; j < setting_.jobs; ++j) threads.emplace_back([this] { work(); });
  }
  /// Prints the results; true if there are no differences.
  bool report() const {
    std::cout << done_ << " of " << runs_.size() << " runs, " << different_ << " differ\n";
    return different_ == 0 && done_ > 0;
  }

 private:
  void work() {
    const auto elapsed = [this] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    };
    std::optional<WorkerProcess> worker;
    for (std::size_t k; elapsed() < setting_.seconds && (k = next_++ * setting_.every) < runs_.size();)
      check(k, worker);
  }

  /// Checks a run. Starts a worker if there is none, and drops it if it is no longer usable.
  void check(std::size_t number, std::optional<WorkerProcess>& worker) {
    const auto& [program, variant] = runs_[number];
    std::string difference;
    try {
      if (!worker) worker.emplace(worker_command());
      const auto found = worker->ask(std::to_string(number), setting_.patience, difference);
      if (found)
        difference =
            first_difference(read_text(program.folder / variant.name), *found, float_tolerance(variant.float_bits));
      else
        worker.reset();
    } catch (const std::exception& error) {
      difference = error.what();
    }
    const std::lock_guard lock(output_);
    ++done_;
    if (difference.empty()) return;
    ++different_;
    std::cout << program.folder.filename().string() << ", " << variant.name << ": " << difference << std::endl;
  }

  std::vector<std::string> worker_command() const {
    std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe"),
                                        "--worker",
                                        fmt::format("--host-limit={}", setting_.host_limit),
                                        "--native=" + setting_.native,
                                        setting_.backend,
                                        setting_.corpus};
    if (setting_.fused) command.emplace_back("--fused");
    if (!setting_.only.empty()) command.push_back("--only=" + setting_.only);
    return command;
  }

  const Setting& setting_;
  std::vector<Run> runs_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next_ = 0;
  std::mutex output_;
  int done_ = 0, different_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Setting setting;
  if (!read_arguments(argc, argv, setting)) {
    std::cerr << "usage: check_corpus [--jobs=N] [--seconds=S] [--patience=S] [--every=N] [--host-limit=N] "
                 "[--native=WHEN] [--only=NAME] [--fused] BACKEND FOLDER\n";
    return 2;
  }
  try {
    if (setting.worker) return answer_questions(setting);
    Checker checker(setting, all_runs(setting));
    checker.check_all();
    return checker.report() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "check_corpus: " << error.what() << "\n";
    return 1;
  }
}

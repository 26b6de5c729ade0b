// check_corpus [OPTION]... VINTERP BACKEND FOLDER: runs the programs of a corpus on a vector library and compares what
// they print with what was recorded, floats up to rounding.
//   --jobs=N      programs at the same time (8)
//   --seconds=S   starts no program after this time (no limit)
//   --every=N     takes every Nth run only (1)

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string_view>
#include <thread>

#include "compare_results.h"
#include "corpus.h"

namespace {

struct Setting {
  int jobs = 8;
  double seconds = 1e9;
  std::size_t every = 1;
  std::string vinterp, backend;
  std::filesystem::path corpus;
};

/// Returns false if the command line cannot be understood.
bool read_arguments(int argc, char** argv, Setting& setting) {
  std::vector<std::string> names;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const std::string value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("--jobs="))
      setting.jobs = std::max(1, std::atoi(value.c_str()));
    else if (argument.starts_with("--seconds="))
      setting.seconds = std::atof(value.c_str());
    else if (argument.starts_with("--every="))
      setting.every = std::size_t(std::max(1, std::atoi(value.c_str())));
    else if (argument.starts_with("--"))
      return false;
    else
      names.push_back(argument);
  }
  if (names.size() != 3) return false;
  setting.vinterp = std::filesystem::absolute(names[0]);
  setting.backend = names[1];
  setting.corpus = std::filesystem::absolute(names[2]);
  return true;
}

struct Run {
  Program program;
  Variant variant;
};

std::vector<Run> all_runs(const std::filesystem::path& corpus) {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<Run> runs;
  for (const auto& folder : folders) {
    Program program{folder, read_text(folder / "input"), {}};
    std::istringstream options(read_text(folder / "options"));
    for (std::string line; std::getline(options, line);) program.options.push_back(line);
    for (const Variant& variant : kVariants)
      if (std::filesystem::exists(folder / variant.name)) runs.push_back({program, variant});
  }
  return runs;
}

class Checker {
 public:
  Checker(const Setting& setting, std::vector<Run> runs) : setting_(setting), runs_(std::move(runs)) {}

  void check_all() {
    std::vector<std::jthread> workers;
    for (int j = 0; j < setting_.jobs; ++j) workers.emplace_back([this] { work(); });
  }
  /// Prints what came of it; true if nothing differs.
  bool report() const {
    std::cout << done_ << " of " << runs_.size() << " runs, " << different_ << " differ\n";
    return different_ == 0 && done_ > 0;
  }

 private:
  void work() {
    const auto elapsed = [this] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    };
    for (std::size_t k; elapsed() < setting_.seconds && (k = next_++ * setting_.every) < runs_.size();) check(runs_[k]);
  }

  void check(const Run& run) {
    const auto& [program, variant] = run;
    std::string difference;
    try {
      difference = first_difference(read_text(program.folder / variant.name),
                                    run_program(program, variant, setting_.vinterp, setting_.backend),
                                    float_tolerance(variant.float_bits));
    } catch (const std::exception& error) {
      difference = error.what();
    }
    const std::lock_guard lock(output_);
    ++done_;
    if (difference.empty()) return;
    ++different_;
    std::cout << program.folder.filename().string() << ", " << variant.name << ": " << difference << "\n";
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
    std::cerr << "usage: check_corpus [--jobs=N] [--seconds=S] [--every=N] VINTERP BACKEND FOLDER\n";
    return 2;
  }
  try {
    Checker checker(setting, all_runs(setting.corpus));
    checker.check_all();
    return checker.report() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "check_corpus: " << error.what() << "\n";
    return 1;
  }
}

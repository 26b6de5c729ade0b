// Compiled kernels kept for later runs: the files that runs write, and the runs that use them.

#include <sys/stat.h>

#include <chrono>
#include <map>
#include <regex>
#include <thread>

#include "command.h"

namespace {

struct KernelCache : Command {
  // One of its kernels calls functions of a library.
  const std::string expression = "sum({round(exp(x) * 2.0 + x) : x in {float(i) / 10000.0 : i in [0:10000]}})";

  void SetUp() override {
    shell(NESL_COMMAND " --version");
    if (result.output.find("kernels compiled by LLVM") == std::string::npos)
      GTEST_SKIP() << "there is no compiler of kernels";
  }
  std::filesystem::path path(const std::string& name) { return directory.path() / name; }
  /// Evaluates the expression, with all kernels compiled, and with `environment` and more options.
  const ProcessResult& evaluate(std::vector<std::string> options, const std::vector<std::string>& environment = {},
                                const std::string& native = "always") {
    options.insert(options.begin(), {NESL_COMMAND, "--native=" + native, "-e", expression});
    result = run_process(options, directory.path(), "", environment);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result;
  }
  std::string value(const std::vector<std::string>& options) { return evaluate(options).output; }
  std::string expected() { return value({"--kernel-cache=off"}); }

  /// The files below a folder with their inode numbers, which change if a file is replaced.
  std::map<std::string, ino_t> files(const std::string& folder) {
    std::map<std::string, ino_t> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(folder), none)) {
      struct stat status = {};
      if (entry.is_regular_file() && stat(entry.path().c_str(), &status) == 0) found[entry.path()] = status.st_ino;
    }
    return found;
  }
};

TEST_F(KernelCache, KernelsOfEarlierRunsAreUsed) {
  const std::string sum = expected();
  EXPECT_EQ(value({"--kernel-cache=cache"}), sum);
  const auto before = files("cache");
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(value({"--kernel-cache=cache"}), sum);
  EXPECT_EQ(files("cache"), before);  // compiled kernels would have been written
  EXPECT_EQ(value({"--kernel-cache=cache", "--simd=baseline"}), sum);
  EXPECT_GT(files("cache").size(), before.size());
}

TEST_F(KernelCache, VinterpHasTheSameOption) {
  file("a.nesl", expression + ";\n");
  nesl({"compile", "-O2", "a.nesl", "-o", "a.fcode"});
  expect(0, "", "");
  const auto run = [&](const std::string& cache) {
    return run_process({NESL_VINTERP, "--native=always", "--kernel-cache=" + cache, "a.fcode"}, directory.path(), "",
                       {})
        .output;
  };
  const std::string printed = run("off");
  EXPECT_EQ(run("cache"), printed);
  const auto before = files("cache");
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(run("cache"), printed);
  EXPECT_EQ(files("cache"), before);
}

/// Kernels compiled, and from the cache, in which code with names differs from code without.
TEST_F(KernelCache, PerfFindsTheNamesOfKernels) {
  file("a.nesl", "function work(v) = sum({x * x + x / 2.0 : x in v});\nwork({float(i) : i in [0:1000]});\n");
  const auto map = [&](const std::string& options) {
    shell("echo $$; exec " NESL_COMMAND " run a.nesl --native=always --kernel-cache=cache " + options);
    const std::string name = "/tmp/perf-" + result.output.substr(0, result.output.find('\n')) + ".map";
    const bool is_there = std::filesystem::exists(name);
    std::string text = is_there ? read_text(name) : "none";
    std::filesystem::remove(name);
    return text;
  };
  EXPECT_EQ(map(""), "none");
  const auto before = files("cache");
  for (int run = 0; run < 2; ++run) {
    const std::string text = map("--native-symbols");
    EXPECT_TRUE(std::regex_search(text, std::regex("(^|\n)[0-9a-f]+ [0-9a-f]+ MAIN\\.[0-9]\\[work:a\\.nesl:1:")))
        << text;
  }
  EXPECT_GT(files("cache").size(), before.size());
  EXPECT_EQ(map(""), "none");
}

TEST_F(KernelCache, TheSizeOfKernelsIsToldWithoutARun) {
  file("a.nesl", expression + ";\n");
  nesl({"compile", "-O2", "a.nesl", "-o", "a.fcode"});
  expect(0, "", "");
  result = run_process({NESL_VINTERP, "--explain", "--kernel-cache=cache", "a.fcode"}, directory.path(), "", {});
  const std::string text = result.output;
  EXPECT_TRUE(std::regex_match(
      text, std::regex("(  kernel MAIN\\.[0-9] at a\\.nesl:1:[0-9]+: machine code: [1-9][0-9]* bytes\n)+")))
      << text << result.errors;
  EXPECT_FALSE(files("cache").empty());  // a later run need not compile them
  result = run_process({NESL_VINTERP, "--explain", "--kernel-cache=cache", "a.fcode"}, directory.path(), "", {});
  EXPECT_EQ(result.output, text);
}

TEST_F(KernelCache, DamagedFilesAreReplaced) {
  const std::string sum = expected();
  value({"--kernel-cache=cache"});
  const auto before = files("cache");
  for (const std::string& damage : {std::string(), std::string(100, '\0'), std::string("NESLkern damaged")}) {
    for (const auto& [name, number] : before) std::ofstream(name) << damage;
    EXPECT_EQ(value({"--kernel-cache=cache"}), sum);
    for (const auto& [name, number] : files("cache")) EXPECT_GT(std::filesystem::file_size(name), 1000u);
  }
}

TEST_F(KernelCache, NothingIsKeptIfItIsOff) {
  const std::vector<std::string> home = {"HOME=" + path("home").string(), "XDG_CACHE_HOME=" + path("xdg").string()};
  std::filesystem::create_directory(path("home"));
  evaluate({"--kernel-cache=off"}, home);
  evaluate({"--sandbox"}, home);
  evaluate({}, home, "off");
  EXPECT_TRUE(files(".").empty());
  EXPECT_FALSE(std::filesystem::exists(path("xdg")));
  EXPECT_FALSE(std::filesystem::exists(path("off")));
  EXPECT_TRUE(std::filesystem::is_empty(path("home")));
}

TEST_F(KernelCache, TheSandboxUsesTheFolderThatIsGiven) {
  evaluate({"--sandbox", "--kernel-cache=cache"});
  EXPECT_FALSE(files("cache").empty());
}

TEST_F(KernelCache, WhereKernelsAreKeptUnlessToldOtherwise) {
  const std::string home = "HOME=" + path("home").string();
  evaluate({}, {home, "XDG_CACHE_HOME=" + path("xdg").string()});
  EXPECT_FALSE(files("xdg/nesl/kernels").empty());
  EXPECT_TRUE(files("home").empty());
  evaluate({}, {home, "XDG_CACHE_HOME=relative"});
  EXPECT_EQ(files("home/.cache/nesl/kernels").size(), files("xdg").size());
  EXPECT_TRUE(files("relative").empty());
  evaluate({}, {"HOME=", "XDG_CACHE_HOME="});
}

TEST_F(KernelCache, WithoutAFolderProgramsRunAllTheSame) {
  const std::string sum = expected();
  file("file", "text");
  for (const char* impossible : {"file", "file/cache", "/proc/nonesuch/cache"})
    EXPECT_EQ(value({std::string("--kernel-cache=") + impossible}), sum);
  EXPECT_EQ(text_of("file"), "text");
}

TEST_F(KernelCache, TwoProcessesFillOneFolder) {
  const std::string sum = expected();
  const std::string run = NESL_COMMAND " --native=always --kernel-cache=cache -e '" + expression + "'";
  for (int round = 0; round < 5; ++round) {
    std::filesystem::remove_all(path("cache"));
    shell(run + " > one & " + run + " > two; wait");
    EXPECT_EQ(text_of("one"), sum);
    EXPECT_EQ(text_of("two"), sum);
    EXPECT_EQ(result.errors, "");
  }
  const auto before = files("cache");
  EXPECT_EQ(value({"--kernel-cache=cache"}), sum);
  EXPECT_EQ(files("cache"), before);
}

TEST_F(KernelCache, KernelsThatRanWithoutCodeAreCompiledAfterTheProcess) {
  // The sort takes longer than kShortRun; the kernel before it long enough to look for code, too short to compile.
  file("a.nesl",
       "let v = {float(mod(i, 1000)) / 3.0 : i in [0:1000000]};\n"
       "in sum({x * x + x / 2.0 : x in v}) + sort({x * 3.0 : x in v})[10];\n");
  const auto run = [&] { nesl({"run", "a.nesl", "--kernel-cache=cache", "--threads=1", "--profile"}); };
  run();
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors.find("from the cache"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("not compiled"), std::string::npos) << result.errors;
  const std::string printed = result.output;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    run();
    EXPECT_EQ(result.output, printed);
  } while (result.errors.find("from the cache") == std::string::npos && std::chrono::steady_clock::now() < deadline);
  EXPECT_NE(result.errors.find("from the cache"), std::string::npos) << result.errors;
}

TEST_F(KernelCache, TheCommandCountsAndClears) {
  const std::string folder = path("cache").string();
  nesl({"cache", "--kernel-cache=cache"});
  expect(0, folder + ": 0 kernels, 0 bytes\n", "");
  evaluate({"--kernel-cache=cache"});
  file("cache/notes", "text");
  const auto before = files("cache");
  std::uintmax_t bytes = 0;
  for (const auto& [name, number] : before) bytes += std::filesystem::file_size(name);
  const std::string kernels = std::to_string(before.size() - 1), all = std::to_string(bytes - 4);
  const std::string found = folder + ": " + kernels + (kernels == "1" ? " kernel, " : " kernels, ") + all + " bytes";
  nesl({"cache", "--kernel-cache=cache"});
  expect(0, found + "\n", "");
  nesl({"cache", "--clear", "--kernel-cache=cache"});
  expect(0, found + " removed\n", "");
  EXPECT_EQ(files("cache").size(), 1u);
}

TEST_F(KernelCache, TheCommandSaysWhyNothingIsKept) {
  nesl({"cache", "--kernel-cache=off"});
  expect(1, "", "nesl: compiled kernels are not kept: there is no folder for them\n");
  result = run_process({NESL_COMMAND, "cache"}, directory.path(), "", {"HOME=", "XDG_CACHE_HOME="});
  expect(1, "", "nesl: compiled kernels are not kept: there is no folder for them\n");
  file("file", "text");
  nesl({"cache", "--kernel-cache=file"});
  const std::string name = path("file").string();
  expect(1, name + ": 0 kernels, 0 bytes\n",
         "nesl: compiled kernels cannot be kept in " + name + ": it is not a folder\n");
}

}  // namespace

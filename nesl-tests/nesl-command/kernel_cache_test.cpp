// Compiled kernels kept for later runs: the files that runs write, and the runs that use them.

#include <sys/stat.h>
#include <unistd.h>

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

/// Profiles say why a cache is not used, and the program has the right result all the same.
TEST_F(KernelCache, ProfilesTellWhyItIsIgnored) {
  const std::string sum = expected();
  file("a.nesl", expression + ";\n");
  const auto expect_profile = [&](const std::string& clause, const std::string& cache = "cache") {
    nesl({"run", "a.nesl", "--native=always", "--profile", "--kernel-cache=" + cache});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.output, sum);
    EXPECT_NE(result.errors.find(clause), std::string::npos) << clause << "\n" << result.errors;
    return result.errors;
  };
  const std::string first = expect_profile("compiled in ");
  EXPECT_EQ(first.find("cache"), std::string::npos) << first;
  EXPECT_EQ(expect_profile("from the cache in ").find("ignored"), std::string::npos);
  const auto spoil = [&](const auto& change) {
    for (const auto& [name, number] : files("cache")) change(name);
  };
  const std::string ignored = "; its file in the cache is ignored: ";
  spoil([](const std::string& name) { std::filesystem::resize_file(name, std::filesystem::file_size(name) - 1); });
  expect_profile(ignored + "it is cut off");
  expect_profile("from the cache in ");  // replaced
  spoil([](const std::string& name) {
    std::fstream(name, std::ios::in | std::ios::out).seekp(-20, std::ios::end) << "tampered";
  });
  expect_profile(ignored + "it is damaged");
  spoil([](const std::string& name) { chmod(name.c_str(), 0666); });
  expect_profile(ignored + "other users may write to it");
  chmod(path("cache").c_str(), 0777);
  expect_profile("; the cache is ignored: other users may write to it");
  chmod(path("cache").c_str(), 0700);
  file("file", "text");
  expect_profile("; the cache is ignored: it is not a folder", "file");
  expect_profile("; it is not kept in the cache: ", "/proc/nonesuch/cache");
  const std::string off = expect_profile("compiled in ", "off");
  EXPECT_EQ(off.find("cache"), std::string::npos) << off;
  if (geteuid() != 0) return;  // who is root can give files away, and writes everywhere
  spoil([](const std::string& name) { EXPECT_EQ(chown(name.c_str(), 65534, 65534), 0); });
  expect_profile(ignored + "it belongs to another user");
  EXPECT_EQ(chown(path("cache").c_str(), 65534, 65534), 0);
  expect_profile("; the cache is ignored: it belongs to another user");
}

TEST_F(KernelCache, ProfilesTellThatItIsOfAnotherProcessor) {
  file("a.nesl", expression + ";\n");
  const auto profile = [&](const std::string& simd) {
    nesl({"run", "a.nesl", "--native=always", "--profile", "--kernel-cache=cache", "--simd=" + simd});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return result.errors;
  };
  profile("baseline");
  const std::string said = profile("avx2");
  if (said.find("native code") == std::string::npos) GTEST_SKIP() << said;
  EXPECT_NE(said.find("; the cache has only kernels for other processors or options"), std::string::npos) << said;
  EXPECT_EQ(profile("avx2").find("only"), std::string::npos);
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

/// Programs whose kernels are put into the cache ahead: runs find all of them, whatever the arguments.
struct FilledCache : KernelCache {
  void SetUp() override {
    KernelCache::SetUp();
    file("a.nesl",
         "function work(n) = let v = {float(mod(i, 7)) / 2.0 : i in [0:n]} in sum({x * x : x in v | x > 1.0});\n"
         "function main(n : int, name : [char]) = (name, work(n), {sum({x * x + 1 : x in [0:k]}) : k in [0:n]}[n - "
         "1]);\n");
  }
  /// Expects that a run adds nothing to the cache.
  void expect_all_found(const std::string& program, const std::vector<std::string>& options) {
    const auto before = files("cache");
    std::vector<std::string> run = {"run", program, "--native=always", "--kernel-cache=cache"};
    run.insert(run.end(), options.begin(), options.end());
    for (const char* argument : {"--", "100", "two"}) run.emplace_back(argument);
    nesl(run);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.output.substr(0, 13), "it = (\"two\", ");
    EXPECT_EQ(files("cache"), before);
  }
};

TEST_F(FilledCache, KernelsAreCompiledWithoutARun) {
  file("b.nesl", "function work(x) = 2.0 * x + 1.0;\nsum({work(float(i)) : i in [0:10]});\n");
  file("none.nesl", "1 + 1;\n");
  const auto line = [](const std::string& name, const std::string& counts) {
    return name + ": " + counts + " [0-9]+ bytes of machine code\n";
  };
  const std::string folder = path("cache").string() + ": [1-9][0-9]* kernels, [1-9][0-9]* bytes\n";
  nesl({"cache", "--kernel-cache=cache", "--fill", "a.nesl", "b.nesl", "none.nesl"});
  EXPECT_EQ(result.errors, "");
  EXPECT_TRUE(std::regex_match(
      result.output, std::regex(line("a.nesl", "[0-9]+ kernels compiled, [0-9]+ found,") +
                                line("b.nesl", "1 kernel compiled, 0 found,") +
                                "none.nesl: 0 kernels compiled, 0 found, 0 bytes of machine code\n" + folder)))
      << result.output;
  expect_all_found("a.nesl", {});
  const auto before = files("cache");
  nesl({"cache", "--kernel-cache=cache", "--fill", "b.nesl"});
  EXPECT_TRUE(std::regex_match(result.output, std::regex(line("b.nesl", "0 kernels compiled, 1 found,") + folder)))
      << result.output;
  EXPECT_EQ(files("cache"), before);
}

TEST_F(FilledCache, OptionsOfTheRunChooseTheCode) {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--threads=1"}, {"--threads=3"}, {"--simd=baseline"}, {"--float=32"}, {"--int=64", "--native-symbols"}}) {
    std::filesystem::remove_all(path("cache"));
    std::vector<std::string> fill = {"cache", "--kernel-cache=cache", "--fill", "a.nesl"};
    fill.insert(fill.end(), options.begin(), options.end());
    nesl(fill);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    expect_all_found("a.nesl", options);
  }
}

TEST_F(FilledCache, CompiledAheadWithTheProgram) {
  nesl({"compile", "--native", "--kernel-cache=cache", "a.nesl", "-o", "a.fcode"});
  expect(0, "", "");
  EXPECT_NE(text_of("a.fcode").find("KERNEL"), std::string::npos);
  const auto before = files("cache");
  EXPECT_FALSE(before.empty());
  nesl({"run", "a.fcode", "--native=always", "--kernel-cache=cache", "--", "100", "two"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(files("cache"), before);
  nesl({"cache", "--kernel-cache=cache", "--fill", "a.fcode"});
  EXPECT_EQ(result.output.find("a.fcode: 0 kernels compiled, "), 0u) << result.output;
  nesl({"compile", "--native", "-O1", "a.nesl"});
  expect(1, "", "nesl: --native compiles kernels, which only -O2 makes\n");
}

TEST_F(FilledCache, Errors) {
  const auto fill = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"cache", "--fill", "a.nesl"});
    nesl(options);
  };
  fill({"--kernel-cache=off"});
  expect(1, "", "nesl: compiled kernels are not kept: there is no folder for them\n");
  file("file", "text");
  fill({"--kernel-cache=file"});
  const std::string name = path("file").string();
  expect(1, "", "nesl: compiled kernels cannot be kept in " + name + ": it is not a folder\n");
  fill({"--kernel-cache=cache", "--backend=cuda-host"});
  EXPECT_EQ(result.errors, "nesl: a.nesl: this vector library compiles no kernels before they run\n");
  EXPECT_EQ(result.exit_status, 1);
  fill({"--clear"});
  EXPECT_EQ(result.errors.find("nesl: --clear excludes --fill\n"), 0u) << result.errors;
  // Errors in one file do not keep the kernels of others from being compiled.
  file("b.nesl", "1 + true;\n");
  nesl({"cache", "--kernel-cache=cache", "--fill", "nothing.nesl", "b.nesl", "c.fcode", "a.nesl"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output.find("a.nesl: "), 0u) << result.output;
  for (const char* message : {"nesl: cannot open nothing.nesl: No such file or directory\n",
                              "b.nesl:1:5: error: ", "nesl: cannot open c.fcode: No such file or directory\n"})
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
  std::filesystem::remove_all(path("cache"));
  shell("(trap '' XFSZ; ulimit -f 0; " NESL_COMMAND " cache --fill a.nesl --kernel-cache=cache) 2>&1 | cat");
  EXPECT_TRUE(std::regex_search(result.output,
                                std::regex("^nesl: a\\.nesl: the compiled kernel MAIN\\.[0-9] could not be written\n")))
      << result.output;
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

#include "llvm/native_compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "llvm/gdb_registration.h"
#include "read_text.h"
#include "scratch_folder.h"

namespace cvl::cpu {
namespace {

/// Assembly of a function f that returns `value`.
std::string returning(bool value) {
  return std::string("define i1 @f(ptr %vectors, i64 %begin, i64 %end) {\n  ret i1 ") + (value ? "true" : "false") +
         "\n}\n";
}

struct NativeCompilerTest : testing::Test {
  ScratchFolder scratch;
  const ObjectCache cache{scratch.path()};
  NativeCompiler compiler{cache};

  void SetUp() override {
    if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  }
  static bool call(const NativeCode& code) { return code.function("f")(nullptr, 0, 0); }
};

TEST_F(NativeCompilerTest, FunctionsOfDifferentKernelsMayHaveTheSameName) {
  const auto yes = compiler.compile(returning(true)), no = compiler.compile(returning(false)),
             again = compiler.compile(returning(true));
  EXPECT_TRUE(call(*yes));
  EXPECT_FALSE(call(*no));
  EXPECT_TRUE(call(*again));
}

TEST_F(NativeCompilerTest, CodeCanBeReleasedInAnyOrder) {
  std::vector<std::unique_ptr<NativeCode>> codes(3);
  for (std::size_t k = 0; k < 60; ++k) {
    codes[(2 * k) % 3].reset();
    codes[k % 3] = compiler.compile(returning(k % 2 == 0));
    EXPECT_EQ(call(*codes[k % 3]), k % 2 == 0);
  }
}

TEST_F(NativeCompilerTest, CachedObjectsAreNotCompiledAgain) {
  compiler.compile(returning(true));
  compiler.compile(returning(false));
  EXPECT_EQ(cache.use().kernels, 2);
  // An object file of other assembly, stored under the key of this one, shows that the code comes from the cache.
  const std::string key = NativeCompiler::cache_key(returning(true));
  cache.keep(key, cache.find(NativeCompiler::cache_key(returning(false))).value());
  EXPECT_FALSE(call(*NativeCompiler(cache).find(returning(true))));
}

TEST_F(NativeCompilerTest, UnloadableCachedObjectIsReplaced) {
  const std::string key = NativeCompiler::cache_key(returning(true));
  cache.keep(key, "no object");
  std::string problem;
  EXPECT_EQ(compiler.find(returning(true), &problem), nullptr);
  EXPECT_EQ(problem.find("its file in the cache is ignored: a kernel cannot be loaded: "), 0u) << problem;
  EXPECT_TRUE(call(*compiler.compile(returning(true))));
  EXPECT_NE(cache.find(key), "no object");
}

TEST_F(NativeCompilerTest, CacheKeyContainsTheCompilerAndTheWholeAssembly) {
  const std::string key = NativeCompiler::cache_key(returning(true));
  EXPECT_NE(key.find("NESL "), key.npos);
  EXPECT_NE(key.find("LLVM 19."), key.npos);
  EXPECT_TRUE(key.ends_with("\n" + returning(true)));
}

/// Each byte of the file is changed, those of the code too: what does not verify is never called.
TEST_F(NativeCompilerTest, TamperedCodeIsNotLoaded) {
  compiler.compile(returning(true));
  const std::filesystem::path file = std::filesystem::directory_iterator(scratch.path())->path();
  const std::string content = read_text(file);
  const std::size_t step = std::max<std::size_t>(content.size() / 200, 1);
  for (std::size_t at = 0; at < content.size(); at += step) {
    std::string changed = content;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    std::ofstream(file, std::ios::binary) << changed;
    std::string problem;
    EXPECT_EQ(compiler.find(returning(true), &problem), nullptr) << at;
    EXPECT_NE(problem, "") << at;
  }
  std::ofstream(file, std::ios::binary) << content;
  EXPECT_TRUE(call(*compiler.find(returning(true))));
}

/// A cache of an earlier process: objects under keys with another first line (the versions) or last line (the target).
TEST_F(NativeCompilerTest, TellsThatACacheIsOfOtherVersionsOrProcessors) {
  const auto text = [](bool value, const char* cpu) {
    return returning(value) + "attributes #0 = { \"target-cpu\"=\"" + cpu + "\" }\n";
  };
  const std::string mine = text(true, "x86-64"), alike = NativeCompiler::cache_key(text(false, "x86-64"));
  const auto why = [&](const std::string& key) {
    cache.clear();
    cache.keep(key, "object");
    for (const auto& file : std::filesystem::directory_iterator(scratch.path()))
      std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
    NativeCompiler later(cache);
    EXPECT_EQ(later.why_none_fits(), "");
    EXPECT_EQ(later.find(mine), nullptr);
    return later.why_none_fits();
  };
  EXPECT_EQ(why(alike), "");
  EXPECT_EQ(why("NESL 0.1, LLVM 12\n" + text(false, "x86-64")), "the cache has only kernels of other versions");
  EXPECT_EQ(why(NativeCompiler::cache_key(text(false, "other"))),
            "the cache has only kernels for other processors or options");
  EXPECT_EQ(why("sm_90\n__global__"), "");  // of a device
  NativeCompiler alone(cache);
  alone.compile(mine);
  EXPECT_EQ(alone.why_none_fits(), "");
}

TEST_F(NativeCompilerTest, TellsWhyCodeIsNotKept) {
  NativeCompiler below_a_file{ObjectCache("/dev/null/cache")};
  std::string problem;
  EXPECT_EQ(below_a_file.find(returning(true), &problem), nullptr);
  EXPECT_EQ(problem, "the cache is ignored: Not a directory");
  problem.clear();
  EXPECT_TRUE(call(*below_a_file.compile(returning(true), &problem)));
  EXPECT_EQ(problem, "it is not kept in the cache: Not a directory");
}

TEST_F(NativeCompilerTest, RejectedAssemblyIsNotCached) {
  EXPECT_THROW(compiler.compile("no assembly"), std::runtime_error);
  EXPECT_EQ(cache.use().kernels, 0);
}

/// The same function, with a name that contains a location in a source text.
constexpr const char* kNamed =
    "define i1 @\"MAIN.0[work:a b.nesl:3:14]_0\"(ptr %vectors, i64 %begin, i64 %end) {\n  ret i1 true\n}\n";
constexpr std::string_view kName = "MAIN.0[work:a b.nesl:3:14]_0";

/// Whether GDB's list of registered objects contains a name.
bool gdb_knows(std::string_view name) {
  void* const loader = dlopen("libnative-loader.so", RTLD_NOW | RTLD_NOLOAD);
  const auto* const list =
      static_cast<const jit_descriptor*>(loader ? dlsym(loader, "__jit_debug_descriptor") : nullptr);
  if (list == nullptr) return false;
  for (const jit_code_entry* entry = list->first_entry; entry != nullptr; entry = entry->next_entry)
    if (std::string_view(entry->symfile_addr, entry->symfile_size).find(name) != std::string_view::npos) return true;
  return false;
}

TEST_F(NativeCompilerTest, FunctionsAreListedForPerfAndGdbOnRequest) {
  std::string error;
  const PerfMap* const map = PerfMap::of_this_process(error);
  ASSERT_NE(map, nullptr) << error;
  const std::string file = fmt::format("/tmp/perf-{}.map", getpid());
  compiler.compile(kNamed);
  EXPECT_EQ(read_text(file), "");
  EXPECT_FALSE(gdb_knows(kName));
  NativeCompiler named(cache, map), again(cache, map);
  std::string lines;
  for (NativeCompiler* each : {&named, &again}) {
    const auto code = each->find(kNamed);
    ASSERT_NE(code, nullptr);  // kept by the compiler without symbols
    const std::vector<NativeSymbol> symbols = code->symbols();
    ASSERT_EQ(symbols.size(), 1u);
    EXPECT_EQ(symbols[0].name, kName);
    EXPECT_EQ(symbols[0].address, reinterpret_cast<std::uintptr_t>(code->function(symbols[0].name)));
    EXPECT_GT(symbols[0].bytes, 0);
    EXPECT_EQ(symbols[0].bytes, code->bytes());
    EXPECT_TRUE(gdb_knows(kName));
    lines += fmt::format("{:x} {:x} {}\n", symbols[0].address, symbols[0].bytes, kName);
    EXPECT_EQ(read_text(file), lines);
  }
  EXPECT_FALSE(gdb_knows(kName)) << "released";
  std::remove(file.c_str());
}

TEST_F(NativeCompilerTest, EverythingIsCompiledWithoutACache) {
  NativeCompiler uncached{ObjectCache("")};
  EXPECT_TRUE(call(*uncached.compile(returning(true))));
  EXPECT_TRUE(call(*uncached.compile(returning(true))));
}

}  // namespace
}  // namespace cvl::cpu

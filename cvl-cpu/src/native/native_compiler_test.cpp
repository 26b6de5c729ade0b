#include "native/native_compiler.h"

#include <vector>

#include <gtest/gtest.h>

#include "scratch_folder.h"

namespace cvl::cpu {
namespace {

/// The assembly of a function f that returns this.
std::string returning(bool value) {
  return std::string("define i1 @f(ptr %vectors, i64 %begin, i64 %end) {\n  ret i1 ") + (value ? "true" : "false") +
         "\n}\n";
}

struct NativeCompilerTest : testing::Test {
  ScratchFolder scratch;
  const ObjectCache cache{scratch.path()};
  const NativeCompiler compiler{cache};

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

TEST_F(NativeCompilerTest, WhatIsCachedIsNotCompiled) {
  compiler.compile(returning(true));
  compiler.compile(returning(false));
  EXPECT_EQ(cache.use().kernels, 2);
  // An object file that the assembly would not be compiled to shows where the code comes from.
  const std::string key = NativeCompiler::cache_key(returning(true));
  cache.keep(key, cache.find(NativeCompiler::cache_key(returning(false))).value());
  EXPECT_FALSE(call(*NativeCompiler(cache).compile(returning(true))));
}

TEST_F(NativeCompilerTest, ACachedObjectThatCannotBeLoadedIsReplaced) {
  const std::string key = NativeCompiler::cache_key(returning(true));
  cache.keep(key, "no object");
  EXPECT_TRUE(call(*compiler.compile(returning(true))));
  EXPECT_NE(cache.find(key), "no object");
}

TEST_F(NativeCompilerTest, TheKeyNamesTheCompilerAndHasAllOfTheText) {
  const std::string key = NativeCompiler::cache_key(returning(true));
  EXPECT_NE(key.find("NESL "), key.npos);
  EXPECT_NE(key.find("LLVM 19."), key.npos);
  EXPECT_TRUE(key.ends_with("\n" + returning(true)));
}

TEST_F(NativeCompilerTest, WhatIsRefusedIsNotCached) {
  EXPECT_THROW(compiler.compile("no assembly"), std::runtime_error);
  EXPECT_EQ(cache.use().kernels, 0);
}

TEST_F(NativeCompilerTest, WithoutACacheEverythingIsCompiled) {
  const NativeCompiler uncached{ObjectCache("")};
  EXPECT_TRUE(call(*uncached.compile(returning(true))));
  EXPECT_TRUE(call(*uncached.compile(returning(true))));
}

}  // namespace
}  // namespace cvl::cpu

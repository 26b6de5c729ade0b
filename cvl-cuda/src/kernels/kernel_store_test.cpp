#include "kernels/kernel_store.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "scratch_folder.h"

namespace cvl::cuda {
namespace {

struct NoCode final : KernelCode {
  LaunchedFunction function(const std::string&) const override { return nullptr; }
};

/// A compiler that counts its calls and can be made to fail.
struct CountingCompiler final : KernelCompiler {
  struct State {
    std::string version = "1", broken;
    bool is_missing = false;
    int compiled = 0;
  };
  explicit CountingCompiler(State& kept) : state(kept) {}

  std::string name() const override { return "a counter"; }
  std::string target() const override { return state.version; }
  std::string compile(const std::string& text) const override {
    if (state.is_missing) throw std::runtime_error("it is missing");
    ++state.compiled;
    return "object of " + text;
  }
  std::unique_ptr<KernelCode> load(const std::string& object) const override {
    if (object == state.broken) throw std::runtime_error("it is broken");
    return std::make_unique<NoCode>();
  }

  State& state;
};

struct KernelStoreTest : testing::Test {
  ScratchFolder scratch;
  CountingCompiler::State state;

  /// A store with an empty memory, as in another process; `folder` is its cache, empty for none.
  KernelStore store(const std::string& folder) {
    return {std::make_unique<CountingCompiler>(state), ObjectCache(folder), Compiling::kBesideTheRun};
  }
};

TEST_F(KernelStoreTest, CompiledKernelsStayInMemory) {
  KernelStore without_cache = store("");
  without_cache.get("a");
  EXPECT_EQ(without_cache.get("a").origin, "compiled before");
  without_cache.get("b");
  EXPECT_EQ(state.compiled, 2);
}

TEST_F(KernelStoreTest, AFilledCacheNeedsNoCompiler) {
  store(scratch.path()).get("a");
  state.is_missing = true;
  EXPECT_EQ(store(scratch.path()).get("a").origin.substr(0, 14), "from the cache");
  EXPECT_THROW(store(scratch.path()).get("b"), std::runtime_error);
}

TEST_F(KernelStoreTest, ObjectsOfAnotherVersionAreCompiledAgain) {
  store(scratch.path()).get("a");
  state.version = "2";
  store(scratch.path()).get("a");
  EXPECT_EQ(state.compiled, 2);
}

TEST_F(KernelStoreTest, ObjectsThatCannotBeLoadedAreCompiledAgain) {
  // An object of a format that this compiler cannot load.
  state.broken = "of some other kind";
  ObjectCache(scratch.path()).keep("1\na", state.broken);
  store(scratch.path()).get("a");
  EXPECT_EQ(state.compiled, 1);
  EXPECT_EQ(store(scratch.path()).get("a").origin.substr(0, 14), "from the cache");
}

TEST_F(KernelStoreTest, AnImpossibleFolderIsNoCache) {
  const std::string file = scratch.path() + "/file";
  std::ofstream(file) << "no folder";
  store(file).get("a");
  const std::string origin = store(file).get("a").origin;
  EXPECT_EQ(state.compiled, 2);
  EXPECT_TRUE(origin.ends_with("; the cache is ignored: it is not a folder")) << origin;
}

TEST_F(KernelStoreTest, OnlyTheFirstFailureIsReported) {
  KernelStore failing = store("");
  testing::internal::CaptureStderr();
  failing.report("f (p.nesl:1:2)", "it is missing");
  failing.report("g", "it is missing");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "note: kernel f (p.nesl:1:2) runs operation by operation: it is missing\n");
}

}  // namespace
}  // namespace cvl::cuda

#include "cvl/loader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cvl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A folder with links to some of the built libraries.
class LoaderTest : public testing::Test {
 protected:
  LoaderTest() {
    char name[] = "/tmp/cvl-loader-test-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~LoaderTest() override { std::filesystem::remove_all(folder_); }

  void install(const std::string& name) {
    const std::string file = "libcvl-" + name + ".so";
    const std::string folder = name == "refusing" ? CVL_REFUSING_FOLDER : CVL_LIBRARY_FOLDER;
    std::filesystem::create_symlink(folder + "/" + file, folder_ + "/" + file);
  }
  static std::vector<std::string> names_of(const std::vector<OfferedBackend>& offered) {
    std::vector<std::string> names;
    for (const OfferedBackend& backend : offered) names.push_back(backend.name);
    return names;
  }
  std::vector<std::string> offered() const { return names_of(offered_backends({folder_})); }
  BackendPtr load_best() { return load_best_backend({folder_}, {}, error_, note_); }

  std::string folder_, error_, note_;
};

TEST_F(LoaderTest, TheBestBackendIsOfferedFirst) {
  install("cpu");
  install("refusing");
  EXPECT_THAT(offered(), ElementsAre("refusing", "cpu"));
}

TEST_F(LoaderTest, LibrariesForTestsAreFoundByNameOnly) {
  install("cpu");
  install("oracle");
  EXPECT_THAT(offered(), ElementsAre("cpu"));
  std::string error;
  EXPECT_NE(load_backend("oracle", {folder_}, {}, error), nullptr) << error;
}

TEST_F(LoaderTest, ALibraryInTwoFoldersIsOfferedOnce) {
  install("cpu");
  EXPECT_THAT(names_of(offered_backends({folder_, folder_, "/nonesuch"})), ElementsAre("cpu"));
}

TEST_F(LoaderTest, NoteNamesALibraryThatCannotBeOpened) {
  install("cpu");
  std::ofstream(folder_ + "/libcvl-broken.so") << "no library";
  EXPECT_THAT(offered(), ElementsAre("broken", "cpu"));
  EXPECT_NE(load_best(), nullptr);
  EXPECT_THAT(note_, HasSubstr("running on backend 'cpu': backend 'broken' cannot be used: "));
}

TEST_F(LoaderTest, NextBestBackendIsUsedAndTheNoteSaysWhy) {
  install("cpu");
  install("refusing");
  const BackendPtr backend = load_best();
  ASSERT_NE(backend, nullptr);
  EXPECT_THAT(backend->description(), HasSubstr("cpu"));
  EXPECT_EQ(note_, "running on backend 'cpu': backend 'refusing' cannot be used: it refuses");
}

TEST_F(LoaderTest, NoteSaysThatThereIsNoOtherBackend) {
  install("cpu");
  EXPECT_NE(load_best(), nullptr);
  EXPECT_EQ(note_, "running on backend 'cpu': there is no other in " + folder_);
}

/// The compiler is a library in the folder of the backend, which this folder does not have.
TEST_F(LoaderTest, WithoutACompilerKernelsAreNotCompiled) {
  install("cpu");
  const BackendPtr backend = load_backend("cpu", {folder_}, {}, error_);
  ASSERT_NE(backend, nullptr) << error_;
  EXPECT_THAT(backend->description(), HasSubstr("no compiler of kernels"));
  BackendOptions options;
  options.native = "always";
  EXPECT_EQ(load_backend("cpu", {folder_}, options, error_), nullptr);
  EXPECT_THAT(error_, HasSubstr("kernels cannot be compiled: "));
  options.native = "sometimes";
  EXPECT_EQ(load_backend("cpu", {folder_}, options, error_), nullptr);
  EXPECT_EQ(error_, "kernels are compiled off, hot or always, not 'sometimes'");
}

TEST_F(LoaderTest, MissingGeneratorOfKernelsIsNamedInTheError) {
  EXPECT_EQ(load_kernel_text("cuda", {folder_}, error_), nullptr);
  EXPECT_EQ(error_, "there is no generator of kernels: libcuda-kernels.so was not found in " + folder_);
}

TEST_F(LoaderTest, LibraryWithoutAGeneratorOfKernelsIsRefused) {
  const std::string file = folder_ + "/libcuda-kernels.so";
  std::filesystem::create_symlink(CVL_LIBRARY_FOLDER "/libcvl-oracle.so", file);
  EXPECT_EQ(load_kernel_text("cuda", {folder_}, error_), nullptr);
  EXPECT_EQ(error_, file + " has no cvl_kernel_text of this version; rebuild it");
}

TEST_F(LoaderTest, ErrorNamesAllBackendsIfNoneWorks) {
  install("refusing");
  EXPECT_EQ(load_best(), nullptr);
  EXPECT_EQ(error_, "backend 'refusing' cannot be used: it refuses");
}

TEST_F(LoaderTest, ErrorNamesTheFileNameIfNoBackendIsFound) {
  EXPECT_EQ(load_best(), nullptr);
  EXPECT_EQ(error_, "there is no backend: no libcvl-NAME.so was found in " + folder_);
}

}  // namespace
}  // namespace cvl

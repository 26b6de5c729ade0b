#include "cvl/object_cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "cached_object.h"
#include "read_text.h"
#include "scratch_folder.h"

namespace cvl {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::minutes;

struct ObjectCacheTest : testing::Test {
  ScratchFolder scratch;
  const std::string folder = scratch.path() + "/cache/kernels";
  const ObjectCache cache{folder};

  std::string file_of(const std::string& key) const { return folder + "/" + cached_object_name(key); }
  static std::string object_of(int k) { return std::string(1000, static_cast<char>('a' + k)); }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
  }
  static void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }
  static void age(const std::string& file, std::chrono::seconds age) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
  }
  static ino_t inode(const std::string& file) {
    struct stat status = {};
    return stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
  }
  /// Why the file under a key is not read; empty if there is none, or it is read.
  std::string why_ignored(const std::string& key) const {
    std::string problem;
    EXPECT_TRUE(!cache.find(key, &problem) || problem.empty());
    return problem;
  }
  static mode_t mode(const std::string& file) {
    struct stat status = {};
    return stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
};

TEST_F(ObjectCacheTest, KeptObjectsAreFoundByOtherCaches) {
  EXPECT_FALSE(cache.find("k"));
  EXPECT_EQ(why_ignored("k"), "");
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(cache.keep("k", "object"), "");
  EXPECT_EQ(ObjectCache(folder).find("k"), "object");
  EXPECT_FALSE(cache.find("other"));
  cache.keep("k", "another");
  EXPECT_EQ(cache.find("k"), "another");
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(ObjectCacheTest, OnlyTheUserHasAccess) {
  const mode_t before = umask(0);
  cache.keep("k", "object");
  umask(before);
  EXPECT_EQ(mode(scratch.path() + "/cache"), 0700u);
  EXPECT_EQ(mode(folder), 0700u);
  EXPECT_EQ(mode(file_of("k")), 0600u);
}

TEST_F(ObjectCacheTest, CacheWithoutAFolderKeepsNothing) {
  const ObjectCache none("");
  std::string problem;
  EXPECT_EQ(none.keep("k", "object"), "");
  EXPECT_FALSE(none.find("k", &problem));
  EXPECT_EQ(problem, "");
  EXPECT_EQ(none.use().problem, "there is no folder for them");
}

TEST_F(ObjectCacheTest, DamagedFilesAreReplaced) {
  cache.keep("k", "object");
  const std::string content = read_text(file_of("k"));
  const std::string cut = "its file in the cache is ignored: it is cut off",
                    damaged = "its file in the cache is ignored: it is damaged";
  for (const auto& [spoiled, reason] :
       {std::pair(std::string(), cut), std::pair(content.substr(0, content.size() / 2), cut),
        std::pair(content + "x", damaged), std::pair("X" + content.substr(1), damaged),
        std::pair(std::string(1 << 20, '\0'), damaged)}) {
    write(file_of("k"), spoiled);
    EXPECT_FALSE(cache.find("k"));
    EXPECT_EQ(why_ignored("k"), reason);
    cache.keep("k", "object");
    EXPECT_EQ(cache.find("k"), "object");
  }
}

/// Simulates two keys with the same file name.
TEST_F(ObjectCacheTest, AnObjectOfAnotherKeyIsNotFound) {
  cache.keep("k", "object");
  fs::rename(file_of("k"), file_of("other"));
  EXPECT_FALSE(cache.find("other"));
  EXPECT_EQ(why_ignored("other"), "its file in the cache is ignored: it is of another kernel");
}

TEST_F(ObjectCacheTest, FilesThatOtherUsersMayWriteAreNotRead) {
  cache.keep("k", "object");
  for (const std::string& writable : {folder, file_of("k")}) {
    const mode_t before = mode(writable);
    for (const mode_t bit : {S_IWGRP, S_IWOTH}) {
      chmod(writable.c_str(), before | bit);
      EXPECT_FALSE(cache.find("k")) << writable;
      EXPECT_EQ(why_ignored("k"), std::string(writable == folder ? "the cache" : "its file in the cache") +
                                      " is ignored: other users may write to it");
    }
    chmod(writable.c_str(), before);
    EXPECT_EQ(cache.find("k"), "object");
  }
  chmod(folder.c_str(), 0777);
  EXPECT_EQ(cache.keep("new", "object"), "it is not kept in the cache: other users may write to it");
  cache.clear();
  EXPECT_EQ(names().size(), 1u);
  EXPECT_EQ(cache.use().problem, "other users may write to it");
}

TEST_F(ObjectCacheTest, LinksPipesAndFoldersAreNotRead) {
  cache.keep("k", "object");
  fs::rename(file_of("k"), folder + "/elsewhere");
  fs::create_symlink("elsewhere", file_of("k"));
  EXPECT_FALSE(cache.find("k"));
  EXPECT_EQ(why_ignored("k"), "its file in the cache is ignored: it is a link");
  cache.keep("k", "new");  // replaces the link
  EXPECT_EQ(cache.find("k"), "new");
  EXPECT_TRUE(fs::exists(folder + "/elsewhere"));
  fs::remove(file_of("k"));
  ASSERT_EQ(mkfifo(file_of("k").c_str(), 0600), 0);
  EXPECT_FALSE(cache.find("k"));
  EXPECT_EQ(why_ignored("k"), "its file in the cache is ignored: it is not a file");
  fs::remove(file_of("k"));
  fs::create_directory(file_of("k"));
  EXPECT_FALSE(cache.find("k"));
  cache.keep("k", "new");
  EXPECT_FALSE(cache.find("k"));
  EXPECT_EQ(names().size(), 2u);  // no unfinished file is left
}

TEST_F(ObjectCacheTest, FileInPlaceOfTheFolderIsAProblem) {
  write(scratch.path() + "/file", "text");
  const ObjectCache on_file(scratch.path() + "/file"), below(scratch.path() + "/file/a/b");
  for (const ObjectCache* none : {&on_file, &below}) {
    none->keep("k", "object");
    EXPECT_FALSE(none->find("k"));
  }
  std::string problem;
  EXPECT_FALSE(on_file.find("k", &problem));
  EXPECT_EQ(problem, "the cache is ignored: it is not a folder");
  EXPECT_EQ(on_file.use().problem, "it is not a folder");
  EXPECT_EQ(below.use().problem, "Not a directory");
  EXPECT_EQ(read_text(scratch.path() + "/file"), "text");
}

/// Makes the effective user of the process an ordinary one, to whom permissions apply, while this exists.
class OrdinaryUser {
 public:
  OrdinaryUser() : is_root_(geteuid() == 0), ordinary_(!is_root_ || seteuid(kNobody) == 0) {}
  ~OrdinaryUser() { EXPECT_TRUE(!is_root_ || seteuid(0) == 0); }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  static constexpr uid_t kNobody = 65534;
  bool is_ordinary() const { return ordinary_; }

 private:
  bool is_root_, ordinary_;
};

TEST_F(ObjectCacheTest, AReadOnlyFolderIsRead) {
  chmod(scratch.path().c_str(), 0777);
  const OrdinaryUser user;
  if (!user.is_ordinary()) GTEST_SKIP() << "the user cannot be changed";
  cache.keep("k", "object");
  ASSERT_EQ(chmod(folder.c_str(), 0500), 0);
  EXPECT_EQ(cache.find("k"), "object");
  EXPECT_EQ(cache.keep("new", "object"), "it is not kept in the cache: Permission denied");
  EXPECT_FALSE(cache.find("new"));
  cache.clear();
  const KernelCacheUse use = cache.use();
  EXPECT_EQ(use.kernels, 1);
  EXPECT_EQ(use.problem, "Permission denied");
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
}

TEST_F(ObjectCacheTest, AFolderThatCannotBeCreatedIsAProblem) {
  chmod(scratch.path().c_str(), 0755);
  const OrdinaryUser user;
  if (!user.is_ordinary()) GTEST_SKIP() << "the user cannot be changed";
  const ObjectCache none("/proc/kernels/cache");
  none.keep("k", "object");
  EXPECT_FALSE(none.find("k"));
  if (geteuid() != OrdinaryUser::kNobody) return;  // the owner of the scratch folder can create the cache in it
  cache.keep("k", "object");
  EXPECT_FALSE(cache.find("k"));
  EXPECT_EQ(cache.use().problem, "Permission denied");
}

TEST_F(ObjectCacheTest, FilesOfOtherUsersAreNotTrusted) {
  chmod(scratch.path().c_str(), 0777);
  cache.keep("k", "object");
  chmod(folder.c_str(), 0755);
  chmod((scratch.path() + "/cache").c_str(), 0755);
  chmod(file_of("k").c_str(), 0644);
  const OrdinaryUser user;
  if (geteuid() != OrdinaryUser::kNobody) GTEST_SKIP() << "the user cannot be changed";
  EXPECT_FALSE(cache.find("k"));
  EXPECT_EQ(why_ignored("k"), "the cache is ignored: it belongs to another user");
  EXPECT_EQ(cache.use().problem, "it belongs to another user");
}

TEST_F(ObjectCacheTest, LeastRecentlyUsedObjectIsRemovedFirst) {
  const std::uint64_t each = encode_cached_object("1", object_of(1)).size();
  const ObjectCache small(folder, 3 * each);
  for (int k = 1; k <= 3; ++k) {
    small.keep(std::to_string(k), object_of(k));
    age(file_of(std::to_string(k)), hours(10 - k));
  }
  EXPECT_EQ(small.find("1"), object_of(1));  // makes 1 the most recently used
  small.keep("4", object_of(4));
  EXPECT_EQ(small.find("1"), object_of(1));
  EXPECT_FALSE(small.find("2"));
  EXPECT_EQ(small.find("3"), object_of(3));
  EXPECT_EQ(small.find("4"), object_of(4));
  EXPECT_EQ(small.use().kernels, 3);
  EXPECT_EQ(small.use().bytes, static_cast<std::int64_t>(3 * each));
}

TEST_F(ObjectCacheTest, UseRenewsTheTimeOfAFileOncePerHour) {
  cache.keep("k", "object");
  const auto last_use = [&] { return fs::last_write_time(file_of("k")); };
  const auto use_after = [&](std::chrono::seconds time) {
    age(file_of("k"), time);
    const auto before = last_use();
    EXPECT_EQ(cache.find("k"), "object");
    return last_use() - before;
  };
  EXPECT_EQ(use_after(minutes(50)), minutes(0));
  EXPECT_GT(use_after(minutes(70)), minutes(69));
}

TEST_F(ObjectCacheTest, KeysAreThoseOfObjectsBeforeATime) {
  const auto begin = std::chrono::system_clock::now();
  for (const char* key : {"a", "b", "c", "damaged"}) cache.keep(key, "object");
  for (const char* key : {"a", "b", "damaged"}) age(file_of(key), minutes(5));
  const auto written = fs::last_write_time(file_of("a"));
  write(folder + "/notes", "text");
  std::ofstream(file_of("damaged"), std::ios::app) << "x";
  age(file_of("damaged"), minutes(5));
  const std::vector<std::string> keys = cache.keys_before(begin - minutes(1));
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(fs::last_write_time(file_of("a")), written);
  EXPECT_TRUE(ObjectCache(scratch.path() + "/none").keys_before(begin).empty());
}

TEST_F(ObjectCacheTest, AnObjectLargerThanTheLimitIsNotKept) {
  const ObjectCache small(folder, 2000);
  small.keep("k", "object");
  EXPECT_EQ(small.keep("large", std::string(2000, 'x')), "it is not kept in the cache: it is larger than the cache");
  EXPECT_FALSE(small.find("large"));
  EXPECT_EQ(small.find("k"), "object");
}

/// Simulates a process that was killed while it wrote: it leaves a part under another name.
TEST_F(ObjectCacheTest, UnfinishedFilesAreRemovedAfterAnHour) {
  cache.keep("k", "object");
  const std::string old = file_of("k") + ".aaaaaa", fresh = file_of("k") + ".bbbbbb", foreign = folder + "/notes.txt";
  const std::string part = read_text(file_of("k")).substr(0, 50);
  for (const std::string& file : {old, fresh, foreign}) write(file, part);
  age(old, minutes(70));
  age(fresh, minutes(50));
  age(foreign, hours(1000));
  EXPECT_EQ(cache.find("k"), "object");
  cache.keep("other", "object");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_EQ(cache.use().kernels, 2);
}

TEST_F(ObjectCacheTest, ClearRemovesOnlyFilesOfTheCache) {
  cache.keep("k", "object");
  cache.keep("other", "object");
  write(file_of("k") + ".aaaaaa", "part");
  write(folder + "/notes.txt", "text");
  EXPECT_EQ(cache.use().kernels, 2);
  cache.clear();
  EXPECT_EQ(names(), std::set<std::string>{"notes.txt"});
  EXPECT_EQ(cache.use().kernels, 0);
}

/// Starts a child process that does `work` until it is killed.
template <class Work>
pid_t start(const Work& work) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (int round = 0;; ++round) work(round);
}

void kill_child(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

/// Three processes write, read and clear while they are killed again and again; every object found is right.
TEST_F(ObjectCacheTest, KilledProcessesLeaveNoWrongObjects) {
  constexpr int kKeys = 10;
  const auto object = [](int k) { return std::string(static_cast<std::size_t>(20000 * (k + 1)), char('a' + k)); };
  const ObjectCache small(folder, 300000);
  const auto work = [&](int round) {
    const int k = round % kKeys;
    const std::optional<std::string> found = small.find(std::to_string(k));
    if (found && *found != object(k)) small.keep("wrong", "object");
    small.keep(std::to_string(k), object(k));
    if (round % 50 == 49) small.clear();
  };
  int found = 0;
  for (int round = 0; round < 30; ++round) {
    const pid_t children[] = {start(work), start(work), start(work)};
    usleep(static_cast<useconds_t>(2000 + 300 * round));
    for (const pid_t child : children) kill_child(child);
    for (int k = 0; k < kKeys; ++k) {
      const std::optional<std::string> there = small.find(std::to_string(k));
      if (!there) continue;
      EXPECT_EQ(*there, object(k));
      ++found;
    }
  }
  EXPECT_GT(found, 0);
  EXPECT_FALSE(small.find("wrong"));
  // Two processes may each have found room for their object, so the limit holds only after one more write.
  small.keep("last", "object");
  EXPECT_LE(small.use().bytes, 300000);
}

TEST_F(ObjectCacheTest, ProcessesFillTheSameFolderTogether) {
  constexpr int kObjects = 200;
  std::vector<pid_t> children;
  for (int c = 0; c < 2; ++c) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    for (int k = 0; k < kObjects; ++k) cache.keep(std::to_string(k), object_of(k % 26));
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (int k = 0; k < kObjects; ++k) EXPECT_EQ(cache.find(std::to_string(k)), object_of(k % 26));
  EXPECT_EQ(names().size(), static_cast<std::size_t>(kObjects));
}

}  // namespace
}  // namespace cvl

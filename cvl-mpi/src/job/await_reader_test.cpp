#include "job/await_reader.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace cvl::mpi {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Writes a line to one of two connected descriptors, which a slow reader takes from the other one.
void expect_to_wait(int from, int to) {
  ASSERT_EQ(write(to, "lost\n", 5), 5);
  std::atomic<bool> is_read = false;
  std::thread reader([&] {
    std::this_thread::sleep_for(milliseconds(50));
    char text[5];
    is_read = true;
    EXPECT_EQ(read(from, text, sizeof text), 5);
  });
  await_reader(to, milliseconds(60000));
  EXPECT_TRUE(is_read);
  reader.join();
  // Without a reader.
  ASSERT_EQ(write(to, "lost\n", 5), 5);
  const auto begin = steady_clock::now();
  await_reader(to, milliseconds(20));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(20));
  close(from);
  close(to);
}

TEST(AwaitReader, WaitsForPipesAndSockets) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  expect_to_wait(ends[0], ends[1]);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  expect_to_wait(ends[0], ends[1]);
}

TEST(AwaitReader, ReturnsForOtherFiles) {
  const auto begin = steady_clock::now();
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  std::fputs("text", file);
  std::fflush(file);
  await_reader(fileno(file), milliseconds(60000));
  std::fclose(file);
  await_reader(-1, milliseconds(60000));
  EXPECT_LT(steady_clock::now() - begin, milliseconds(30000));
}

}  // namespace
}  // namespace cvl::mpi

#include "worker_process.h"

#include <gtest/gtest.h>

namespace {

constexpr double kLong = 20;

/// A worker that runs each line as a shell command.
struct WorkerProcessTest : testing::Test {
  WorkerProcess worker{{"/bin/sh", "-c", "while read -r line; do eval \"$line\"; done; exit 7"}};
  std::string failure;
};

TEST_F(WorkerProcessTest, AnswersOneQuestionAfterTheOther) {
  EXPECT_EQ(worker.ask("printf '3\\nabc'", kLong, failure), "abc");
  EXPECT_EQ(worker.ask("printf '0\\n'", kLong, failure), "");
  EXPECT_EQ(worker.ask("printf '5\\na\\n'; sleep 0.1; printf 'b\\nc'", kLong, failure), "a\nb\nc");
  EXPECT_EQ(failure, "");
}

TEST_F(WorkerProcessTest, LongAnswersAreRead) {
  const auto answer = worker.ask("printf '%d\\n%0300000d' 300000 0", kLong, failure);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, std::string(300000, '0'));
}

TEST_F(WorkerProcessTest, FailureNamesTheSignal) {
  EXPECT_FALSE(worker.ask("kill -SEGV $$", kLong, failure));
  EXPECT_EQ(failure, "killed by signal 11 (Segmentation fault)");
}

TEST_F(WorkerProcessTest, FailureNamesTheExitStatus) {
  EXPECT_FALSE(worker.ask("printf '9\\nbroken'; exit 3", kLong, failure));
  EXPECT_EQ(failure, "ended with status 3");
}

TEST_F(WorkerProcessTest, AWorkerThatEndedAfterAnAnswerFailsTheNextQuestion) {
  EXPECT_EQ(worker.ask("printf '1\\na'; exit 4", kLong, failure), "a");
  EXPECT_FALSE(worker.ask("printf '1\\nb'", kLong, failure));
  EXPECT_EQ(failure, "ended with status 4");
}

TEST_F(WorkerProcessTest, AHangingWorkerIsKilled) {
  EXPECT_FALSE(worker.ask("while :; do :; done", 0.2, failure));
  EXPECT_EQ(failure, "no answer within 0.2 seconds, killed by signal 9 (Killed)");
}

TEST(WorkerProcess, AWorkerThatCannotBeStartedThrows) {
  EXPECT_THROW(WorkerProcess({"/nonexistent/worker"}), std::system_error);
}

}  // namespace

#include "worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <system_error>

namespace {

using Clock = std::chrono::steady_clock;

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Reads available bytes, waiting for them until `deadline`. False at the end of the stream.
bool read_more(int descriptor, Clock::time_point deadline, std::string& text, bool& in_time) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd waited{descriptor, POLLIN, 0};
  const int ready = poll(&waited, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
  if (ready < 0 && errno == EINTR) return true;
  in_time = ready > 0;
  if (!in_time) return false;
  char buffer[65536];
  const ssize_t count = read(descriptor, buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  text.append(buffer, static_cast<std::size_t>(count));
  return true;
}

/// The reply in the text, if it is complete.
std::optional<std::string> complete_reply(const std::string& text) {
  const std::size_t line = text.find('\n');
  if (line == text.npos) return std::nullopt;
  std::size_t length = 0;
  std::from_chars(text.data(), text.data() + line, length);
  if (text.size() - line - 1 < length) return std::nullopt;
  return text.substr(line + 1, length);
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
  // Sockets, not pipes: writing to a socket whose other end is closed can fail without a signal.
  int questions[2], answers[2];
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, questions) == 0 ? 0 : errno, "socketpair");
  questions_ = questions[0];
  if (pipe2(answers, O_CLOEXEC) != 0) {
    const int error = errno;
    close(questions[0]);
    close(questions[1]);
    check(error, "pipe2");
  }
  answers_ = answers[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, questions[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int error = posix_spawn(&process_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(questions[1]);
  close(answers[1]);
  if (error == 0) return;
  close(questions_);
  close(answers_);
  check(error, command[0]);
}

WorkerProcess::~WorkerProcess() {
  if (process_ != 0) {
    kill(process_, SIGKILL);
    end();
  }
  close(questions_);
  close(answers_);
}

std::string WorkerProcess::end() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  if (!WIFSIGNALED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

std::optional<std::string> WorkerProcess::ask(const std::string& line, double seconds, std::string& failure) {
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const std::string question = line + "\n";
  // If sending fails, the worker has ended, and its answer is the end of the stream.
  (void)send(questions_, question.data(), question.size(), MSG_NOSIGNAL);
  std::string text;
  bool in_time = true;
  for (;;) {
    if (std::optional<std::string> reply = complete_reply(text)) return reply;
    if (!read_more(answers_, deadline, text, in_time)) break;
  }
  if (!in_time) kill(process_, SIGKILL);
  failure = end();
  if (!in_time) failure = fmt::format("no answer within {} seconds, {}", seconds, failure);
  return std::nullopt;
}

bool send_reply(std::string_view reply) {
  return write_all(STDOUT_FILENO, fmt::format("{}\n", reply.size())) && write_all(STDOUT_FILENO, reply);
}

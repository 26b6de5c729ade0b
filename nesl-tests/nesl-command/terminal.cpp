#include "terminal.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <system_error>

Terminal::Terminal(const std::vector<std::string>& command, const std::filesystem::path& directory,
                   const char* locale) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  winsize size{25, 200, 0, 0};
  // As in terminals, the erase key deletes characters, not bytes.
  termios modes{};
  int parent = -1, child = -1;
  if (openpty(&parent, &child, nullptr, nullptr, nullptr) == 0) {
    tcgetattr(child, &modes);
    close(parent);
    close(child);
  }
  modes.c_iflag |= IUTF8;
  process_ = forkpty(&descriptor_, nullptr, &modes, &size);
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "forkpty");
  if (process_ == 0) {
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", locale, 1);
    setenv("HOME", directory.c_str(), 1);
    if (chdir(directory.c_str()) == 0) execv(arguments[0], arguments.data());
    _exit(127);
  }
}

Terminal::~Terminal() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(descriptor_);
}

void Terminal::type(const std::string& keys) {
  if (write(descriptor_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::system_error(errno, std::generic_category(), "write");
}

std::string Terminal::wait_for(const std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(10);
  for (std::size_t at; (at = unread_.find(text)) == std::string::npos;) {
    pollfd input{descriptor_, POLLIN, 0};
    char buffer[4096];
    const ssize_t n = poll(&input, 1, 100) > 0 ? read(descriptor_, buffer, sizeof buffer) : 0;
    if (n < 0 || Clock::now() > end) throw std::runtime_error("'" + text + "' did not appear in: " + unread_);
    unread_.append(buffer, static_cast<std::size_t>(n));
  }
  const std::size_t shown_end = unread_.find(text) + text.size();
  std::string shown = unread_.substr(0, shown_end);
  unread_.erase(0, shown_end);
  return shown;
}

int Terminal::wait() {
  int status = 0;
  for (int tenths = 0; waitpid(process_, &status, WNOHANG) == 0; ++tenths) {
    if (tenths == 100) throw std::runtime_error("the process has not ended");
    usleep(100'000);
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

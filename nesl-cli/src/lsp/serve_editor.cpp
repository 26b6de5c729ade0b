#include "serve_editor.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "language_server.h"

namespace nesl_cli {

namespace {

/// Where texts of the library are shown: a folder in the user's cache; empty if there is none.
std::string library_folder() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return fmt::format("{}/nesl/library", cache);
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fmt::format("{}/.cache/nesl/library", home);
  return "";
}

}  // namespace

int serve_editor(bool wide_ints, const std::string& version) {
  signal(SIGPIPE, SIG_IGN);  // an editor that has gone is an error of writing
  ClientChannel channel(STDIN_FILENO, STDOUT_FILENO);
  Workspace workspace(wide_ints, library_folder());
  return LanguageServer(channel, workspace, version).run();
}

}  // namespace nesl_cli

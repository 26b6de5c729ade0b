#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/suggestion.h"

namespace base {

/// The message for a command line that `app`, a CLI::App, has refused with `error`. An unknown option is reported
/// rather than a missing argument, which CLI11 finds first.
template <class App, class Error>
std::string complaint_about_command_line(const App& app, const Error& error) {
  const std::vector<std::string> words = app.remaining(true);
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string_view option = std::string_view(word).substr(0, word.find('='));
    std::vector<std::string> known;
    const auto add_options = [&](const App& owner) {
      for (const auto* candidate : owner.get_options())
        for (const std::string& name : candidate->get_lnames()) known.push_back("--" + name);
    };
    add_options(app);
    const auto commands = app.get_subcommands();
    if (!commands.empty() && std::ranges::find(known, option) != known.end())
      return fmt::format("{} has no option {}", commands[0]->get_name(), option);
    for (const App* command : commands) add_options(*command);
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    return fmt::format("there is no option {}{}", option, suggestion(option, candidates));
  }
  return error.what();
}

}  // namespace base

#include "case_file.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "../support/read_text.h"

namespace {

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Walks over the lines of a file and reports errors with their location.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path) : path_(path), stream_(read_text(path)) {}

  bool next(std::string& line) {
    if (!std::getline(stream_, line)) return false;
    ++number_;
    return true;
  }
  int number() const { return number_; }
  [[noreturn]] void fail(const std::string& message) const {
    throw std::runtime_error(path_.string() + ":" + std::to_string(number_) + ": " + message);
  }

 private:
  std::filesystem::path path_;
  std::istringstream stream_;
  int number_ = 0;
};

/// Reads the cases of one file, section by section.
class CaseReader {
 public:
  CaseReader(const std::filesystem::path& path, std::filesystem::path root) : lines_(path), root_(std::move(root)) {}

  std::vector<Case> read() {
    for (std::string line; lines_.next(line);) {
      if (line.starts_with('@')) {
        directive(line);
      } else if (section_ != nullptr) {
        *section_ += line + "\n";
      } else if (in_case_ || !(line.empty() || line.starts_with('#'))) {
        lines_.fail("this line belongs to no section");
      }
    }
    if (in_case_) lines_.fail("@end is missing");
    return std::move(cases_);
  }

 private:
  void directive(const std::string& line) {
    const std::vector<std::string> words = split_words(line);
    const std::string& keyword = words[0];
    if (in_case_ != (keyword != "@case")) lines_.fail(keyword + " cannot stand here");
    section_ = nullptr;
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (keyword == "@case") {
      begin_case(one_word(rest));
    } else if (keyword == "@tags") {
      current_.tags = rest;
    } else if (keyword == "@args") {
      current_.args = rest;
    } else if (keyword == "@stdin") {
      section_ = &current_.input;
    } else if (keyword == "@program") {
      section_ = &current_.program;
    } else if (keyword == "@program-file") {
      current_.program = read_text(root_ / one_word(rest));
    } else if (keyword == "@stdout") {
      section_ = &current_.output;
    } else if (keyword == "@stderr") {
      section_ = &current_.errors.emplace();
    } else if (keyword == "@stderr-has") {
      section_ = &excerpts_;
    } else if (keyword == "@exit") {
      current_.exit_status = std::stoi(one_word(rest));
    } else if (keyword == "@end") {
      end_case();
    } else {
      lines_.fail("unknown section " + keyword);
    }
  }

  std::string one_word(const std::vector<std::string>& words) const {
    if (words.size() != 1) lines_.fail("exactly one word must follow");
    return words[0];
  }

  void begin_case(const std::string& name) {
    if (!names_.insert(name).second) lines_.fail("there is a case " + name + " already");
    in_case_ = true;
    current_ = Case{};
    excerpts_.clear();
    current_.name = name;
    current_.line = lines_.number();
  }

  void end_case() {
    if (current_.program.empty()) lines_.fail("case " + current_.name + " has no program");
    std::istringstream excerpts(excerpts_);
    for (std::string line; std::getline(excerpts, line);) current_.error_excerpts.push_back(line);
    cases_.push_back(current_);
    in_case_ = false;
  }

  LineReader lines_;
  std::filesystem::path root_;
  std::vector<Case> cases_;
  std::set<std::string> names_;
  Case current_;
  std::string excerpts_;
  std::string* section_ = nullptr;
  bool in_case_ = false;
};

}  // namespace

std::vector<Case> read_case_file(const std::filesystem::path& path, const std::filesystem::path& root) {
  return CaseReader(path, root).read();
}

bool CaseException::applies(const Case& test_case, const std::vector<std::string>& options) const {
  if (!option.empty() && !contains(options, option)) return false;
  return by_tag ? contains(test_case.tags, name) : test_case.name == name;
}

std::vector<CaseException> read_exceptions(const std::filesystem::path& path) {
  LineReader lines(path);
  std::vector<CaseException> exceptions;
  for (std::string line; lines.next(line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(": ");
    const std::vector<std::string> words = split_words(line.substr(0, colon));
    const bool has_option = words.size() == 4 && words[2] == "when";
    if (colon == std::string::npos || (words[0] != "case" && words[0] != "tag") || (words.size() != 2 && !has_option)) {
      lines.fail("expected: case|tag NAME [when OPTION]: REASON");
    }
    exceptions.push_back({words[0] == "tag", words[1], has_option ? words[3] : "", line.substr(colon + 2)});
  }
  return exceptions;
}

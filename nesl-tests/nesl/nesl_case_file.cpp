#include "nesl_case_file.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

namespace nesl_cases {
namespace {

/// Reads a file line by line; each line's first character determines its kind.
class CaseReader {
 public:
  explicit CaseReader(const std::filesystem::path& path) : path_(path), stream_(path) {
    if (!stream_) throw std::runtime_error(path.string() + ": cannot be read");
  }

  std::vector<Case> read() {
    for (std::string line; std::getline(stream_, line);) {
      ++number_;
      if (line.starts_with("case ")) {
        begin_case(line.substr(5));
      } else if (line.empty()) {
        in_case_ = false;
      } else if (line[0] != '#') {
        if (line.size() < 2 || line[1] != ' ') fail("a character and a blank must begin the line");
        reply_line(line[0], line.substr(2));
      }
    }
    return std::move(cases_);
  }

 private:
  void begin_case(const std::string& rest) {
    const std::size_t blank = rest.find(' ');
    Case& test_case = cases_.emplace_back();
    test_case.name = rest.substr(0, blank);
    if (blank != std::string::npos) test_case.tag = rest.substr(blank + 1);
    test_case.line = number_;
    if (!names_.insert(test_case.name).second) fail("there is a case " + test_case.name + " already");
    in_case_ = true;
  }

  void reply_line(char kind, const std::string& text) {
    if (!in_case_) fail("this line belongs to no case");
    std::vector<CaseStatement>& steps = cases_.back().steps;
    if (kind == '>') {
      steps.push_back({.line = number_, .statement = text, .expected = {}, .reason = {}});
      return;
    }
    if (steps.empty()) fail("a statement must come before its reply");
    Reply& reply = steps.back().expected;
    switch (kind) {
      case '=':
        append(reply.value, text);
        break;
      case '~':
        append(reply.printed, text);
        break;
      case '-':
        if (reply.error_class.empty()) fail("details are those of an error");
        append(reply.error_details, text);
        break;
      case '?':
        append(steps.back().reason, text);
        break;
      case '!': {
        const std::size_t blank = text.find(' ');
        reply.error_class = text.substr(0, blank);
        if (blank != std::string::npos) reply.error_text = text.substr(blank + 1);
        break;
      }
      default:
        fail(std::string("unknown kind of line ") + kind);
    }
  }

  static void append(std::string& lines, const std::string& line) {
    if (!lines.empty()) lines += '\n';
    lines += line;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw std::runtime_error(path_.string() + ":" + std::to_string(number_) + ": " + message);
  }

  std::filesystem::path path_;
  std::ifstream stream_;
  int number_ = 0;
  bool in_case_ = false;
  std::vector<Case> cases_;
  std::set<std::string> names_;
};

bool same(const Reply& a, const Reply& b) {
  return a.printed == b.printed && a.value == b.value && a.error_class == b.error_class && a.error_text == b.error_text;
}

}  // namespace

std::vector<Case> read_cases(const std::filesystem::path& path) { return CaseReader(path).read(); }

void apply_exceptions(std::vector<Case>& cases, const std::vector<Case>& exceptions) {
  for (const Case& exception : exceptions) {
    const auto found = std::find_if(cases.begin(), cases.end(),
                                    [&](const Case& test_case) { return test_case.name == exception.name; });
    if (found == cases.end()) throw std::runtime_error("exception for " + exception.name + ": there is no such case");
    for (const CaseStatement& step : exception.steps) {
      const std::string where = "exception for " + exception.name + ", " + step.statement;
      const auto statement = std::find_if(found->steps.begin(), found->steps.end(),
                                          [&](const CaseStatement& old) { return old.statement == step.statement; });
      if (statement == found->steps.end()) throw std::runtime_error(where + ": the case has no such statement");
      if (step.reason.empty()) throw std::runtime_error(where + ": it gives no reason");
      if (same(statement->expected, step.expected)) throw std::runtime_error(where + ": it changes nothing");
      statement->expected = step.expected;
    }
  }
}

}  // namespace nesl_cases

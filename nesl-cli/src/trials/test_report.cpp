#include "test_report.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "base/markup.h"

namespace nesl_cli {

namespace {

using Outcome = TestResult::Outcome;

std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) result += fmt::format("  {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string name_of(const TestRow& row) {
  return row.configuration.empty() ? row.title : fmt::format("{} [{}]", row.title, row.configuration);
}

const char* word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kError:
      return "error";
    case Outcome::kInterrupted:
      break;
  }
  return "interrupted";
}

/// Text for an attribute of XML, where line ends would become blanks.
std::string attribute(std::string_view text) {
  std::string result;
  for (const char c : base::markup(text)) c == '\n' ? result += "&#10;" : result += c;
  return result;
}

std::string case_text(const TestRow& row) {
  const TestResult& result = row.result;
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"{:.6f}\"",
                  attribute(row.file), attribute(name_of(row)), attribute(row.file), row.line, result.seconds);
  if (result.outcome == Outcome::kPassed) return text + "/>\n";
  const char* const element = result.outcome == Outcome::kFailed ? "failure" : "error";
  return text + fmt::format(">\n      <{0} message=\"{1}:{2}:{3}: {4}\">{5}</{0}>\n    </testcase>\n", element,
                            attribute(row.file), row.line, row.column, word_of(result.outcome),
                            attribute(result.details));
}

}  // namespace

std::size_t TestReport::failures() const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const TestRow& row) { return row.result.outcome != Outcome::kPassed; }));
}

std::string row_text(const TestRow& row) {
  const std::string place = fmt::format("{}:{}:{}", base::printable(row.file), row.line, row.column);
  if (row.result.outcome != Outcome::kPassed)
    return fmt::format("{}: test {}: {}\n{}", place, word_of(row.result.outcome), base::printable(name_of(row)),
                       indented(row.result.details));
  const std::string inputs = row.result.inputs > 1 ? fmt::format("{} inputs, ", row.result.inputs) : "";
  return fmt::format("{}: passed: {} ({}{:.1f} ms)\n", place, base::printable(name_of(row)), inputs,
                     row.result.seconds * 1e3);
}

std::string summary_text(const TestReport& report) {
  const std::size_t failed = report.failures(), all = report.rows.size();
  const char* const tests = all == 1 ? "test" : "tests";
  const std::string counts =
      failed == 0 ? fmt::format("{} {} passed", all, tests) : fmt::format("{} of {} {} failed", failed, all, tests);
  const std::size_t broken = report.broken_files.size();
  const std::string files = broken == 0 ? "" : fmt::format("; {} file{} with errors", broken, broken == 1 ? "" : "s");
  return fmt::format("{} in {:.2f} s, seed {}{}\n", counts, report.seconds, report.seed, files);
}

std::string junit_text(const TestReport& report) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"nesl test\" tests=\"{}\" failures=\"{}\" "
      "time=\"{:.6f}\">\n",
      report.rows.size() + report.broken_files.size(), report.failures() + report.broken_files.size(), report.seconds);
  for (auto begin = report.rows.begin(); begin != report.rows.end();) {
    const auto end =
        std::find_if(begin, report.rows.end(), [&](const TestRow& row) { return row.file != begin->file; });
    const auto count = [&](Outcome outcome) {
      return std::count_if(begin, end, [&](const TestRow& row) { return row.result.outcome == outcome; });
    };
    double seconds = 0;
    std::string cases;
    for (auto row = begin; row != end; ++row) {
      seconds += row->result.seconds;
      cases += case_text(*row);
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.6f}\">\n"
        "    <properties><property name=\"seed\" value=\"{}\"/></properties>\n{}  </testsuite>\n",
        attribute(begin->file), end - begin, count(Outcome::kFailed),
        count(Outcome::kError) + count(Outcome::kInterrupted), seconds, report.seed, cases);
    begin = end;
  }
  for (const std::string& file : report.broken_files)
    text += fmt::format(
        "  <testsuite name=\"{0}\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"0\">\n    <testcase "
        "classname=\"{0}\" "
        "name=\"compiles\" file=\"{0}\" time=\"0\">\n      <error message=\"the file has errors, and its tests were "
        "not "
        "run\"/>\n    </testcase>\n  </testsuite>\n",
        attribute(file));
  return text + "</testsuites>\n";
}

std::string json_text(const TestReport& report) {
  nlohmann::ordered_json all = {{"seed", report.seed},
                                {"seconds", report.seconds},
                                {"files_with_errors", report.broken_files},
                                {"tests", nlohmann::ordered_json::array()}};
  for (const TestRow& row : report.rows) {
    nlohmann::ordered_json test = {{"file", row.file},
                                   {"line", row.line},
                                   {"column", row.column},
                                   {"name", row.title},
                                   {"configuration", row.configuration},
                                   {"outcome", word_of(row.result.outcome)},
                                   {"inputs", row.result.inputs},
                                   {"seconds", row.result.seconds},
                                   {"details", row.result.details}};
    all["tests"].push_back(std::move(test));
  }
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace nesl_cli

// Profiles by source line, as tables, page and trace; explanations by line; the progress line.

#include <csignal>
#include <map>
#include <regex>
#include <sstream>

#include <nlohmann/json.hpp>

#include "command.h"
#include "terminal.h"

namespace {

constexpr const char* kSort = R"(function quicksort(s) =
  if #s < 2 then s
  else
    let pivot = s[#s / 2];
        less = {x in s | x < pivot};
        equal = {x in s | x == pivot};
        greater = {x in s | x > pivot};
        sorted = {quicksort(part) : part in [less, greater]}
    in sorted[0] ++ equal ++ sorted[1];

% Not reached. %
function unused(x) = x + 1;
function keys(n) = {mod(i * 7919, 30011) : i in [0:n]};
#quicksort(keys(30000));
)";

struct Figures {
  std::uint64_t calls = 0, elements = 0, bytes = 0;
  double milliseconds = 0, percent = 0;
};

/// A program without an end, whose recursion has ever other arguments.
constexpr const char* kSpin = "function spin(n) = if n == -1 then 0 else spin(n + 1);\nspin(0);\n";

struct ProfileCommand : Command {
  /// The table of lines: first column, and figures. Kernels have two blanks in front.
  std::vector<std::pair<std::string, Figures>> lines() {
    std::vector<std::pair<std::string, Figures>> rows;
    std::istringstream text(result.errors);
    std::string line;
    while (std::getline(text, line) && !line.starts_with("line ")) {
    }
    const std::regex row(R"(^(.*?) +(\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +(-|\d+%)(  .*)?$)");
    for (std::smatch m; std::getline(text, line) && std::regex_match(line, m, row);)
      rows.push_back(
          {m[1], {std::stoull(m[2]), std::stoull(m[3]), std::stoull(m[4]), std::stod(m[5]), std::stod(m[6])}});
    return rows;
  }
  std::map<std::string, Figures> line_map() {
    const auto rows = lines();
    return {rows.begin(), rows.end()};
  }
  /// The names in the first column of another table.
  std::map<std::string, std::uint64_t> counts_of(const std::string& table) {
    std::map<std::string, std::uint64_t> counts;
    std::istringstream text(result.errors);
    std::string line;
    while (std::getline(text, line) && !line.starts_with(table)) {
    }
    const std::regex row(R"(^(.*?) +(\d+) +\d+ +\d+ +[\d.]+ +[\d.]+$)");
    for (std::smatch m; std::getline(text, line) && std::regex_match(line, m, row);) counts[m[1]] = std::stoull(m[2]);
    return counts;
  }
};

TEST_F(ProfileCommand, LinesAreThoseOfTheSourceAtEachLevel) {
  file("a.nesl", kSort);
  for (const char* level : {"-O0", "-O1", "-O2"}) {
    for (const char* threads : {"--threads=1", "--threads=3"}) {
      nesl({"run", "a.nesl", "--profile", level, threads});
      EXPECT_EQ(result.output, "it = 30000 : int\n");
      const auto rows = line_map();
      for (const char* used : {"a.nesl:2", "a.nesl:4", "a.nesl:7", "a.nesl:8", "a.nesl:9", "a.nesl:13", "total"})
        EXPECT_TRUE(rows.contains(used)) << level << " " << used << "\n" << result.errors;
      for (const char* unused : {"a.nesl:1", "a.nesl:10", "a.nesl:12", "(unknown)"})
        EXPECT_FALSE(rows.contains(unused)) << level << " " << unused << "\n" << result.errors;
      EXPECT_NE(result.errors.find("  greater = {x in s | x > pivot};\n"), std::string::npos) << result.errors;
    }
  }
}

TEST_F(ProfileCommand, TheTablesHaveTheSameTotals) {
  file("a.nesl", kSort);
  nesl({"run", "a.nesl", "--profile", "--threads=1"});
  Figures sum;
  std::uint64_t of_kernels = 0;
  const auto rows = lines();
  ASSERT_GT(rows.size(), 7u) << result.errors;
  for (const auto& [name, figures] : rows) {
    if (name.starts_with("  FUSED ")) of_kernels += figures.elements;
    if (!name.starts_with("a.nesl:")) continue;
    sum.calls += figures.calls;
    sum.elements += figures.elements;
    sum.bytes += figures.bytes;
    sum.percent += figures.percent;
  }
  const Figures total = rows.back().second;
  EXPECT_EQ(rows.back().first, "total");
  EXPECT_EQ(sum.calls, total.calls);
  EXPECT_EQ(sum.elements, total.elements);
  EXPECT_EQ(sum.bytes, total.bytes);
  EXPECT_NEAR(sum.percent, 100, 1);
  EXPECT_GT(of_kernels, 30000u);
  EXPECT_LT(of_kernels, total.elements);
  // The other tables are of the same elements and bytes.
  const std::regex all(R"(\ntotal +\d+ +(\d+) +(\d+) )");
  int tables = 0;
  for (std::sregex_iterator m(result.errors.begin(), result.errors.end(), all), end; m != end; ++m, ++tables) {
    EXPECT_EQ(std::stoull((*m)[1]), total.elements);
    EXPECT_EQ(std::stoull((*m)[2]), total.bytes);
  }
  EXPECT_EQ(tables, 3) << result.errors;
}

TEST_F(ProfileCommand, AKernelIsBelowItsLineAndNamesTheOthers) {
  file("a.nesl", kSort);
  nesl({"run", "a.nesl", "--profile", "--threads=1"});
  EXPECT_TRUE(std::regex_search(result.errors, std::regex("\na.nesl:7 .*greater.*\n  FUSED \\d+, lines 5 to 7 ")))
      << result.errors;
}

TEST_F(ProfileCommand, FunctionsHaveTheirNamesInTheSource) {
  file("a.nesl",
       "function Double(x) = if x > 1000 then x else Double(2 * x);\n"
       "({Double(x) : x in [1:50]}, kth_smallest([3, 1, 2], 1));\n");
  for (const char* level : {"-O0", "-O2"}) {
    nesl({"run", "a.nesl", "--profile", level});
    const auto functions = counts_of("function (own work)");
    EXPECT_EQ(functions.count("double"), 1u) << result.errors;
    EXPECT_EQ(functions.count("(top level)"), 1u) << result.errors;
    EXPECT_EQ(functions.count("select_kth"), 1u) << result.errors;
    for (const auto& [name, count] : functions) EXPECT_EQ(name.find("_1"), std::string::npos) << name;
  }
}

TEST_F(ProfileCommand, LibraryFunctionsCountAtTheLineThatCallsThem) {
  file("a.nesl", "function f(s) =\n  kth_smallest(s, 7);\n\nf({mod(i * 7919, 10007) : i in [0:10000]});\n");
  nesl({"run", "a.nesl", "--profile", "-O0"});
  const auto rows = line_map();
  ASSERT_TRUE(rows.contains("a.nesl:2")) << result.errors;
  EXPECT_GT(rows.at("a.nesl:2").elements, 30000u) << result.errors;
  EXPECT_FALSE(rows.contains("(unknown)")) << result.errors;
}

TEST_F(ProfileCommand, VcodeWithoutPlacesHasItsOwnLines) {
  file("a.vcode",
       "FUNC MAIN\n  CONST INT (1 2 3)\n  CALL TWICE\n  CALL TWICE\nRET\nFUNC TWICE\n  COPY 1 0\n  + INT\nRET\n");
  result = run_process({NESL_VINTERP, "--profile", "a.vcode"}, directory.path(), "", {});
  const auto rows = line_map();
  ASSERT_TRUE(rows.contains("a.vcode:8")) << result.errors;
  EXPECT_EQ(rows.at("a.vcode:8").calls, 2u);
  EXPECT_EQ(rows.at("a.vcode:8").elements, 6u);
  EXPECT_EQ(rows.at("a.vcode:2").calls, 0u);
  EXPECT_EQ(counts_of("function (own work)").at("TWICE"), 2u);
  EXPECT_NE(result.errors.find("  + INT\n"), std::string::npos) << result.errors;
}

TEST_F(ProfileCommand, SessionsAddUpTheirStatements) {
  nesl({"repl", "--profile", "--unchecked"}, "v = [0:1000];\nsum(v);\nsum(v);\n");
  const auto rows = line_map();
  ASSERT_TRUE(rows.contains("<stdin>:2")) << result.errors;
  EXPECT_EQ(rows.at("<stdin>:2").calls, 1u) << result.errors;
  EXPECT_TRUE(rows.contains("<stdin>:3")) << result.errors;
  nesl({"repl"}, ":profile sum([0:1000])\n");
  EXPECT_NE(result.output.find("\n<profile>:1 "), std::string::npos) << result.output;
}

TEST_F(ProfileCommand, ThePageHasEachLineOfTheSource) {
  file("a.nesl", kSort);
  nesl({"run", "a.nesl", "--profile=html"});
  expect(0, "it = 30000 : int\n", "");
  const std::string page = text_of("profile.html");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">")) << page.substr(0, 100);
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const char* foreign : {"http", "src=", "@import", "url(", "<script"})
    EXPECT_EQ(page.find(foreign), std::string::npos) << foreign;
  const std::string text = kSort;
  const auto lines = std::count(text.begin(), text.end(), '\n');
  for (int n = 1; n <= lines; ++n)
    EXPECT_NE(page.find("<td class=\"number\">" + std::to_string(n) + "</td>"), std::string::npos) << n;
  EXPECT_EQ(page.find("<td class=\"number\">" + std::to_string(lines + 1) + "</td>"), std::string::npos);
  EXPECT_NE(page.find("less = {x in s | x &lt; pivot};</td>"), std::string::npos);
  EXPECT_TRUE(std::regex_search(page, std::regex("<tr style=\"background:rgba\\(240,80,0,0\\.\\d+\\)\"><td "
                                                 "class=\"number\">7</td><td>[\\d.]+</td>.*greater")));
  EXPECT_TRUE(std::regex_search(page, std::regex("<tr class=\"kernel\">.*FUSED \\d+, lines 5 to 7")));
  EXPECT_TRUE(std::regex_search(page, std::regex("in FUSED \\d+ at line 7")));
  // Elements that are opened are closed.
  for (const char* element :
       {"table", "thead", "tbody", "tr", "td", "th", "h1", "h2", "p", "details", "body", "html"}) {
    const std::regex open("<" + std::string(element) + "[ >]"), close("</" + std::string(element) + ">");
    EXPECT_EQ(std::distance(std::sregex_iterator(page.begin(), page.end(), open), {}),
              std::distance(std::sregex_iterator(page.begin(), page.end(), close), {}))
        << element;
  }
  nesl({"run", "a.nesl", "--profile=other.html", "--profile"});
  EXPECT_NE(result.errors.find("\na.nesl:7 "), std::string::npos) << result.errors;
  EXPECT_NE(text_of("other.html").find("greater"), std::string::npos);
}

TEST_F(ProfileCommand, TheTraceNestsOperationsInFunctionsOnEachThread) {
  file("a.nesl", kSort);
  nesl({"run", "a.nesl", "--trace-out=t.json", "--threads=3"});
  expect(0, "it = 30000 : int\n", "");
  const auto trace = nlohmann::json::parse(text_of("t.json"));
  std::map<int, std::vector<const nlohmann::json*>> threads;
  std::map<int, std::string> names;
  int kernels = 0, pieces = 0;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") {
      if (event.at("name") == "thread_name") names[event.at("tid")] = event.at("args").at("name");
      continue;
    }
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_GE(event.at("dur").get<double>(), 0);
    threads[event.at("tid")].push_back(&event);
    if (event.at("cat") == "operation") {
      EXPECT_TRUE(event.at("args").at("line").get<std::string>().starts_with("a.nesl:")) << event;
      EXPECT_TRUE(event.at("args").contains("elements"));
      kernels += event.at("name").get<std::string>().starts_with("FUSED ");
    }
    pieces += event.at("cat") == "piece";
  }
  EXPECT_GT(kernels, 0);
  EXPECT_GT(pieces, 0);
  ASSERT_TRUE(threads.contains(0));
  EXPECT_EQ(names.size(), threads.size());
  EXPECT_EQ(names[0], "program");
  EXPECT_EQ(threads[0].front()->at("name"), "(top level)");
  for (const auto& [thread, events] : threads) {
    // The end of each slice that is open; times are rounded to nanoseconds.
    std::vector<double> open;
    double before = 0;
    for (const auto* event : events) {
      const double begin = event->at("ts"), end = begin + event->at("dur").get<double>();
      EXPECT_GE(begin, before);
      before = begin;
      while (!open.empty() && open.back() <= begin + 0.002) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(end, open.back() + 0.002) << *event;
      }
      open.push_back(end);
      // Every operation is inside of a function.
      if (event->at("cat") == "operation") {
        EXPECT_GE(open.size(), 2u) << *event;
      }
    }
  }
}

TEST_F(ProfileCommand, AnInterruptLeavesTheProfileSoFar) {
  file("a.nesl", kSpin);
  shell("timeout --foreground -s INT 0.5 " NESL_COMMAND " run a.nesl --profile --profile=p.html --trace-out=t.json");
  EXPECT_NE(result.errors.find("interrupted"), std::string::npos) << result.errors;
  const auto rows = line_map();
  ASSERT_TRUE(rows.contains("a.nesl:1")) << result.errors;
  EXPECT_GT(rows.at("a.nesl:1").calls, 1000u);
  EXPECT_NE(text_of("p.html").find("spin(n + 1)"), std::string::npos);
  // The open call has a slice. The trace is complete, but parsing a million events takes long.
  const std::string trace = text_of("t.json");
  EXPECT_NE(trace.find("{\"name\":\"spin\",\"cat\":\"function\""), std::string::npos);
  EXPECT_TRUE(trace.ends_with("\n]}\n"));
}

TEST_F(ProfileCommand, AFailedRunHasAProfile) {
  file("a.nesl", "function f(s) = s[7] + sum(s);\nf({i * i : i in [0:5]});\n");
  nesl({"run", "a.nesl", "--profile"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("a.nesl:1:17: run-time error in f"), std::string::npos) << result.errors;
  EXPECT_TRUE(line_map().contains("a.nesl:1")) << result.errors;
}

TEST_F(ProfileCommand, FilesThatCannotBeWrittenAreRefusedBeforeTheRun) {
  file("a.nesl", "print_line(\"ran\");\n");
  file("plain", "");
  nesl({"run", "a.nesl", "--trace-out=nowhere/t.json"});
  expect_error("nesl: --trace-out: nowhere/t.json cannot be written: No such file or directory\n");
  nesl({"run", "a.nesl", "--trace-out=plain/t.json"});
  expect_error("nesl: --trace-out: plain/t.json cannot be written: Not a directory\n");
  nesl({"run", "a.nesl", "--trace-out=."});
  expect_error("nesl: --trace-out: . cannot be written: Is a directory\n");
  nesl({"run", "a.nesl", "--profile=nowhere/p.html"});
  expect_error("nesl: --profile: nowhere/p.html cannot be written: No such file or directory\n");
  nesl({"run", "a.nesl", "--profile=p.json"});
  expect_error("nesl: --profile: 'p.json' is neither table nor html nor the name of an .html file; --trace-out=FILE ");
  nesl({"run", "a.nesl", "--progress=perhaps"});
  expect_error("nesl: --progress: ");
}

TEST_F(ProfileCommand, ExplanationsAreByLines) {
  file("a.nesl", kSort);
  nesl({"run", "a.nesl", "--explain"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output.find("it = "), std::string::npos) << result.output;
  for (const char* expected :
       {"\na.nesl:7:         greater = {x in s | x > pivot};\n  FUSED ", ", lines 5 to 7: DIST INT, < INT, PACK INT, ",
        "; machine code: ", "PACK INT and APPEND INT of line 8 stay apart: APPEND cannot be in a kernel\n",
        "  quicksort may run in pieces\n", "  in no kernel: "})
    EXPECT_NE(result.output.find(expected), std::string::npos) << expected << "\n" << result.output;
  for (const char* internal : {"QUICKSORT", "MAIN", "v1"})
    EXPECT_EQ(result.output.find(internal), std::string::npos) << internal << "\n" << result.output;
  file("raise.nesl",
       "function raised(v, places) = v <- {(p, 1) : p in places};\n"
       "v = {rand(10) : i in [0:1000]};\n"
       "sum(v);\n"
       "raised(v, [3, 7]);\n");
  nesl({"run", "raise.nesl", "--explain"});
  EXPECT_NE(result.output.find("raise.nesl:1: function raised(v, places) = v <- {(p, 1) : p in places};\n"
                               "  in no kernel: DIST INT, DPERMUTE INT\n  DPERMUTE INT updates its vector in place\n"),
            std::string::npos)
      << result.output;
  file("one.nesl", "1;\n");
  nesl({"run", "one.nesl", "--explain"});
  expect(0, "nothing to fuse: no operation over vectors\n", "");
  file("bad.nesl", "{x + : x in [1]};\n");
  nesl({"run", "bad.nesl", "--explain"});
  expect_error("bad.nesl:1:");
}

TEST_F(ProfileCommand, SlowIdiomsAreNamedWithTheCostOfTheirLines) {
  file("a.nesl",
       "function least(v) =\n  sort(v)[0];\nfunction unused(v) = sort(v)[1];\n"
       "least({mod(i * 7919, 1000) : i in [0:1000]});\n");
  nesl({"run", "a.nesl", "--explain"});
  EXPECT_NE(result.output.find("a.nesl:2:   sort(v)[0];\n  sorts all elements to read one: "), std::string::npos)
      << result.output;
  EXPECT_EQ(result.output.find("a.nesl:3:"), std::string::npos) << result.output;
  nesl({"run", "a.nesl", "--profile"});
  EXPECT_EQ(result.output, "it = 0 : int\n");
  const std::regex cost(
      "\nslow idioms\na.nesl:2:3: sorts all elements to read one: .*\n"
      "  its line took [0-9.]+ ms, [0-9]+ elements, [0-9]+ bytes\n");
  EXPECT_TRUE(std::regex_search(result.errors, cost)) << result.errors;
  const std::size_t found = result.errors.find("slow idioms");
  ASSERT_NE(found, std::string::npos);
  const std::size_t elements = result.errors.find(" ms, ", found) + 5;
  EXPECT_GE(std::stoull(result.errors.substr(elements)), 1000u) << result.errors;
  file("clean.nesl", "min_val([3, 1]);\n");
  nesl({"run", "clean.nesl", "--profile"});
  EXPECT_EQ(result.errors.find("slow idioms"), std::string::npos) << result.errors;
}

TEST_F(ProfileCommand, ProgressIsShownOnATerminalAndRemoved) {
  file("a.nesl", kSpin);
  Terminal terminal({NESL_COMMAND, "run", "a.nesl"}, directory.path());
  const std::string shown = terminal.wait_for(" s\x1b[K");
  EXPECT_TRUE(std::regex_search(shown, std::regex("^\rspin: round [0-9.]+[KMG], .*[0-9] s\x1b\\[K$"))) << shown;
  EXPECT_NE(terminal.wait_for(" s\x1b[K").find("\rspin: round "), std::string::npos);
  terminal.type("\x03");
  EXPECT_NE(terminal.wait_for("interrupted").find("\r\x1b[K"), std::string::npos);
  EXPECT_EQ(terminal.wait(), 130);
}

TEST_F(ProfileCommand, ProgressMakesWayForOutput) {
  // Works for some seconds of the clock, before and after a line that is not complete.
  file("a.nesl",
       "function work(n) = if n == 0 then 0 else work(n - 1);\n"
       "function busy(t) = if t > 2.3 then 0 else let (x, s) = time(work(100000)) in busy(t + s) + x;\n"
       "let a = busy(0.0); b = print_string(\"half\"); c = busy(0.0); d = print_line(\" done\") in a + c;\n");
  Terminal terminal({NESL_COMMAND, "run", "a.nesl"}, directory.path());
  const std::string first = terminal.wait_for("half");
  EXPECT_NE(first.find(" s\x1b[K"), std::string::npos) << first;
  EXPECT_TRUE(first.ends_with("\r\x1b[Khalf")) << first;
  // Within a line of the program, no progress is drawn over it.
  EXPECT_EQ(terminal.wait_for("\n"), " done\r\n");
  EXPECT_NE(terminal.wait_for("it = 0 : int").find("it = 0"), std::string::npos);
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(ProfileCommand, ProgressIsOffElsewhereOrOnDemand) {
  file("a.nesl", kSpin);
  nesl({"run", "a.nesl", "--timeout=3"});
  EXPECT_EQ(result.errors.find("round"), std::string::npos) << result.errors;
  nesl({"run", "a.nesl", "--timeout=3", "--progress=on"});
  EXPECT_TRUE(std::regex_search(result.errors, std::regex("^spin: round [0-9.]+[KMG], .*[0-9] s\n"))) << result.errors;
  EXPECT_EQ(result.errors.find('\x1b'), std::string::npos) << result.errors;
  Terminal terminal({NESL_COMMAND, "run", "a.nesl", "--timeout=3", "--progress=off"}, directory.path());
  EXPECT_EQ(terminal.wait_for("the time given by --timeout is over").find("round"), std::string::npos);
}

}  // namespace

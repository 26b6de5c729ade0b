// The page of nesl show: its structure, and how it looks and reacts in headless Chromium, if that is installed.

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "../command.h"

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++number;
  return number;
}

struct ShowPage : Command {
  static constexpr const char* kNested = "{sum({a * a : a in row | a > 1}) : row in [[1, 2], [], [3, 0, 4]]}";

  std::string page_of(const std::string& expression, std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"show", expression, "--html=page.html"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    nesl(arguments);
    return text_of("page.html");
  }
};

TEST_F(ShowPage, HasASectionForEachStepOfTheText) {
  const std::string page = page_of(kNested, {"--text"});
  EXPECT_EQ(result.exit_status, 0);
  const std::size_t steps = count(page, "<section class=\"step\"");
  EXPECT_EQ(steps, 10u);
  EXPECT_NE(result.output.find("\n 10  {sum("), std::string::npos) << result.output;
  EXPECT_EQ(count(page, "<mark>"), steps);
  EXPECT_EQ(count(page, "<li><button"), steps);
  EXPECT_GE(count(page, "<table class=\"strip\">"), steps);
  EXPECT_NE(page.find("<p class=\"result\"><code>it = [4, 0, 25] : [int]</code></p>"), std::string::npos);
}

TEST_F(ShowPage, EveryRowOfAStripIsAsWide) {
  const std::string page = page_of(kNested);
  const std::regex table("<table class=\"strip\">.*?</table>"), row("<tr>.*?</tr>"), cell("<td[^>]*>"),
      span("colspan=\"([0-9]+)\"");
  int tables = 0;
  for (std::sregex_iterator t(page.begin(), page.end(), table), end; t != end; ++t, ++tables) {
    std::set<int> widths;
    const std::string text = t->str();
    for (std::sregex_iterator r(text.begin(), text.end(), row); r != end; ++r) {
      const std::string cells = r->str();
      int width = 0;
      for (std::sregex_iterator c(cells.begin(), cells.end(), cell); c != end; ++c) {
        const std::string tag = c->str();
        std::smatch columns;
        width += std::regex_search(tag, columns, span) ? std::stoi(columns[1]) : 1;
      }
      widths.insert(width);
    }
    EXPECT_EQ(widths.size(), 1u) << text;
  }
  EXPECT_GE(tables, 10);
}

TEST_F(ShowPage, NeedsNoNetwork) {
  const std::string page = page_of(kNested);
  for (const char* reference : {"http:", "https:", "src=", "href=", "@import", "url("})
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
}

TEST_F(ShowPage, EscapesTextsOfTheProgram) {
  const std::string page = page_of("{c ++ \"</script><b>&\" : c in [\"<i>\"]}");
  EXPECT_EQ(count(page, "</script>"), 1u);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_NE(page.find("&lt;i&gt;&lt;/script&gt;&lt;b&gt;&amp;"), std::string::npos);
}

TEST_F(ShowPage, OfLongExpressionsStaysSmall) {
  std::string sum = "1";
  for (int k = 0; k < 3000; ++k) sum = "(" + sum + " + 1)";
  const std::string page = page_of("{" + sum + " + x : x in [1]}");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_LT(page.size(), 4'000'000u);
  EXPECT_NE(page.find("steps are not shown"), std::string::npos);
}

TEST_F(ShowPage, OfAFailedRunHasTheReport) {
  const std::string page = page_of("{[7, 8][i] : i in [0, 2]}");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(page.find("<pre class=\"failure\" role=\"alert\">&lt;expression&gt;:1:2: run-time error"),
            std::string::npos);
  EXPECT_EQ(page.find("class=\"result\""), std::string::npos);
}

TEST_F(ShowPage, GoesToStandardOutputWithoutTheOutputOfTheProgram) {
  nesl({"show", "let u = print_string(\"hello\\n\") in {x : x in [1]}", "--html=-"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(result.output.starts_with("<!DOCTYPE html>")) << result.output;
  EXPECT_TRUE(result.output.ends_with("</html>\n")) << result.output;
  EXPECT_EQ(result.errors, "hello\n");
}

/// A page in a browser: a script at its end makes a report.
struct Browser : ShowPage {
  std::string browser;

  void SetUp() override {
    for (const char* name : {"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"})
      if (shell(std::string("command -v ") + name).exit_status == 0) {
        browser = result.output.substr(0, result.output.find('\n'));
        return;
      }
    GTEST_SKIP() << "no Chromium is installed (chromium or chromium-headless-shell)";
  }

  /// Opens a page in a window of this width, with more options of the browser, and runs a script whose `report` is
  /// returned.
  nlohmann::json run(const std::string& page, const std::string& script, int width = 1200,
                     const std::string& options = "") {
    const std::size_t end = page.rfind("</body>");
    std::string tested = page;
    tested.insert(end, R"(<script>addEventListener('load', () => {
      const all = (what, where = document) => [...where.querySelectorAll(what)];
      const one = (what, where = document) => where.querySelector(what);
      const shown = root => all('.step', root).map((s, k) => s.hidden ? 0 : k + 1).filter(Boolean);
      const key = (name, target = document.body) =>
        target.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true, cancelable: true}));
      const report = {};
      try {)" + script + R"(} catch (problem) { report.problem = String(problem); }
      const text = document.createElement('pre');
      text.textContent = 'REPORT' + JSON.stringify(report) + 'END';
      document.body.append(text);
    });</script>)");
    file("tested.html", tested);
    shell(browser + " --headless --no-sandbox --disable-gpu " + options + " --window-size=" + std::to_string(width) +
          ",900 --virtual-time-budget=3000 --dump-dom \"file://$PWD/tested.html\"");
    const std::size_t begin = result.output.rfind("REPORT"), after = result.output.rfind("END</pre>");
    EXPECT_TRUE(begin != std::string::npos && after != std::string::npos && begin < after) << result.errors;
    if (begin == std::string::npos || after == std::string::npos || begin > after) return {};
    std::string text = result.output.substr(begin + 6, after - begin - 6);
    for (const auto& [entity, character] : {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
      for (std::size_t at; (at = text.find(entity)) != text.npos;)
        text.replace(at, std::string(entity).size(), character);
    nlohmann::json report = nlohmann::json::parse(text);
    EXPECT_FALSE(report.contains("problem")) << report["problem"];
    return report;
  }
};

TEST_F(Browser, ShowsOneStepAtATime) {
  const nlohmann::json report = run(page_of(kNested), R"(
    report.first = shown(); report.status = one('.status').textContent; report.disabled = one('.previous').disabled;
    key('ArrowRight'); report.right = shown();
    key('End'); report.end = shown(); report.last = one('.next').disabled;
    key('ArrowRight'); report.beyond = shown();
    key('ArrowLeft'); report.left = shown();
    key('Home'); report.home = shown();
    one('.next').click(); report.next = shown();
    const slider = one('.slider'); slider.value = 5; slider.dispatchEvent(new Event('input')); report.slider = shown();
    all('.list button')[6].click(); report.list = shown();
    report.current = all('.list button').map((b, k) => b.getAttribute('aria-current') ? k + 1 : 0).filter(Boolean);
    one('.all').click(); report.all = shown().length; one('.all').click(); report.again = shown();)");
  using Steps = std::vector<int>;
  EXPECT_EQ(report["first"], Steps{1});
  EXPECT_EQ(report["status"], "step 1 of 10");
  EXPECT_EQ(report["disabled"], true);
  EXPECT_EQ(report["right"], Steps{2});
  EXPECT_EQ(report["end"], Steps{10});
  EXPECT_EQ(report["last"], true);
  EXPECT_EQ(report["beyond"], Steps{10});
  EXPECT_EQ(report["left"], Steps{9});
  EXPECT_EQ(report["home"], Steps{1});
  EXPECT_EQ(report["next"], Steps{2});
  EXPECT_EQ(report["slider"], Steps{5});
  EXPECT_EQ(report["list"], Steps{7});
  EXPECT_EQ(report["current"], Steps{7});
  EXPECT_EQ(report["all"], 10);
  EXPECT_EQ(report["again"], Steps{7});
}

TEST_F(Browser, SegmentsHaveTheColourAndWidthOfTheirElements) {
  // Step 3 is the nested sequence: lengths 2, 0 and 3 above five elements and one empty place.
  const nlohmann::json report = run(page_of(kNested), R"(
    all('.list button')[2].click();
    const table = one('table.strip', all('.step')[2]);
    const cells = row => all('td', row).map(td => {
      const box = td.getBoundingClientRect();
      return {text: td.textContent, colour: getComputedStyle(td).backgroundColor, left: box.left, right: box.right,
        top: box.top, bottom: box.bottom};
    });
    report.rows = all('tr', table).map(cells);)");
  const auto& rows = report["rows"];
  ASSERT_EQ(rows.size(), 3u);
  const auto &lengths = rows[1], &elements = rows[2];
  ASSERT_EQ(lengths.size(), 3u);
  ASSERT_EQ(elements.size(), 6u);
  EXPECT_EQ(lengths[0]["text"], "2");
  const int begins[] = {0, 2, 3}, ends[] = {2, 3, 6};
  for (int segment = 0; segment < 3; ++segment) {
    const auto& length = lengths[static_cast<std::size_t>(segment)];
    const auto &first = elements[static_cast<std::size_t>(begins[segment])],
               &last = elements[static_cast<std::size_t>(ends[segment] - 1)];
    EXPECT_NEAR(length["left"].get<double>(), first["left"].get<double>(), 1);
    EXPECT_NEAR(length["right"].get<double>(), last["right"].get<double>(), 1);
    EXPECT_LE(length["bottom"].get<double>(), first["top"].get<double>());
    if (segment == 1) continue;  // an empty segment has no element
    for (int k = begins[segment]; k < ends[segment]; ++k)
      EXPECT_EQ(elements[static_cast<std::size_t>(k)]["colour"], length["colour"]) << k;
  }
  EXPECT_NE(lengths[0]["colour"], lengths[1]["colour"]);
  EXPECT_NE(lengths[0]["colour"], lengths[2]["colour"]);
  for (const auto& row : rows)
    for (const auto& cell : row) EXPECT_GE(cell["bottom"].get<double>() - cell["top"].get<double>(), 16);
}

TEST_F(Browser, LeftOutInstancesAndLoopsAreVisible) {
  const nlohmann::json report = run(page_of("{if x > 2 then sum([0:x]) else x - 10 : x in [3, 1, 4]}"), R"(
    const branch = all('.step')[4];
    report.title = one('h3', branch).textContent;
    report.out = all('td.left-out', branch).length;
    report.hatched = all('td.left-out', branch).every(td => getComputedStyle(td).backgroundImage.includes('gradient'));
    all('.list button')[4].click();
    report.same = all('.list li').map((li, k) => li.classList.contains('same-loop') ? k + 1 : 0).filter(Boolean);)");
  EXPECT_EQ(report["title"], "5. sum([0:x]) loop 2");
  EXPECT_EQ(report["out"], 1);
  EXPECT_EQ(report["hatched"], true);
  EXPECT_EQ(report["same"], (std::vector<int>{4, 5}));
}

TEST_F(Browser, FitsNarrowWindowsAndIsAccessible) {
  const nlohmann::json report = run(page_of(kNested), R"(
    report.overflow = document.documentElement.scrollWidth - innerWidth;
    report.unnamed = all('button').filter(b => !b.textContent.trim()).length;
    report.headers = all('table.strip tr').every(row => one('th[scope=row]', row));
    report.label = one('.slider').getAttribute('aria-label'); report.role = one('.status').getAttribute('role');)",
                                    500);
  EXPECT_LE(report["overflow"].get<double>(), 0);
  EXPECT_EQ(report["unnamed"], 0);
  EXPECT_EQ(report["headers"], true);
  EXPECT_EQ(report["label"], "step");
  EXPECT_EQ(report["role"], "status");
}

// Contrast of at least 4.5, as the Web Content Accessibility Guidelines demand of text.
TEST_F(Browser, TextsCanBeReadOnLightAndDarkGround) {
  const auto luminance = [](const std::string& colour) {
    double sum = 0;
    const double weights[] = {0.2126, 0.7152, 0.0722};
    std::istringstream numbers(std::regex_replace(colour, std::regex("[^0-9]+"), " "));
    for (const double weight : weights) {
      double value = 0;
      numbers >> value;
      value /= 255;
      sum += weight * (value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
  };
  const std::string page = page_of(kNested);
  std::set<std::string> grounds;
  for (const char* scheme : {"--blink-settings=preferredColorScheme=1", "--blink-settings=preferredColorScheme=0"}) {
    const nlohmann::json report = run(page, R"(
      one('.all').click();
      report.ground = getComputedStyle(one('.nesl-show')).backgroundColor;
      const colours = e => { const s = getComputedStyle(e); return [e.className, s.color, s.backgroundColor]; };
      report.cells = all('td, mark, .badge').filter(e => /mark|badge|c[0-7]/i.test(e.className + e.tagName)).map(colours);
      for (const e of all('h3, .value, .type, .context, th, .size'))
        report.cells.push([e.className, getComputedStyle(e).color, report.ground]);)",
                                      1200, scheme);
    grounds.insert(report["ground"].get<std::string>());
    ASSERT_GT(report["cells"].size(), 50u);
    for (const auto& cell : report["cells"]) {
      const double a = luminance(cell[1]), b = luminance(cell[2]);
      EXPECT_GE((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05), 4.5) << cell.dump();
    }
  }
  EXPECT_EQ(grounds.size(), 2u) << "the dark ground has not been tested";
}

TEST_F(Browser, SeveralViewersInANotebookAreIndependent) {
  const std::string page = page_of(kNested);
  const std::size_t begin = page.find("<main>") + 6, end = page.find("</main>");
  const std::string viewer = page.substr(begin, end - begin);
  const nlohmann::json report = run("<!DOCTYPE html><html><body><p>cells</p>" + viewer + viewer + "</body></html>", R"(
    const viewers = all('.nesl-show');
    key('ArrowRight'); report.nobody = viewers.map(shown);
    key('ArrowRight', one('.next', viewers[1])); report.second = viewers.map(shown);)");
  EXPECT_EQ(report["nobody"], (std::vector<std::vector<int>>{{1}, {1}}));
  EXPECT_EQ(report["second"], (std::vector<std::vector<int>>{{1}, {2}}));
}

}  // namespace

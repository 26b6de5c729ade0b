// Plots, and what they say where PLplot is missing.

#include "file_command.h"

namespace {

struct Plots : FileCommand {
  void expect_plot(const std::string& function, const std::string& data, const std::string& name) {
    expect_value(function + "(" + data + R"(, ("#1 <t>", "x", "y"), ")" + name + "\")", "picture(\"" + name + "\")");
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
};

TEST_F(Plots, AsSvg) {
  expect_plot("plot", "[[(0.0, 1.0), (1.0, 2.0), (3.0, 0.0)], [(0.0, 0.0), (3.0, 2.0)]]", "a.svg");
  const std::string lines = text_of("a.svg");
  EXPECT_EQ(lines.substr(0, 5), "<?xml");
  EXPECT_NE(lines.find("</svg>"), std::string::npos);
  // The colours of the two lines; the title, whose # is no escape of PLplot's.
  EXPECT_EQ(count(lines, "stroke=\"#0072B2\""), 1u);
  EXPECT_EQ(count(lines, "stroke=\"#D55E00\""), 1u);
  EXPECT_EQ(count(lines, ">&#x23;&#x31;&#x20;&#x3c;&#x74;&#x3e;<"), 1u);
  for (const char* data : {"[3, 1, 2]", "[0.5]", "[(1, 0.5), (2, 0.5)]", "[[1.0, 2.0], [] float]", "[] int"})
    expect_plot("plot", data, "b.svg");
  expect_plot("scatter", "[(0.0, 1.0), (1.0, 2.0), (3.0, 0.0)]", "c.svg");
  EXPECT_EQ(count(text_of("c.svg"), "&#x2022;"), 3u);
  expect_plot("plot_histogram", "[1, 1, 2, 5], 4", "d.svg");
  EXPECT_EQ(count(text_of("d.svg"), "fill=\"#0072B2\""), 4u);
}

TEST_F(Plots, LabelsOfAnyBytes) {
  expect_value(R"(plot([1], ("a" ++ [code_char(255), code_char(0), code_char(10)], "", ""), "a.svg"))",
               R"(picture("a.svg"))");
  EXPECT_EQ(count(text_of("a.svg"), ">&#x61;&#x3f;&#x20;&#x20;<"), 1u);
}

TEST_F(Plots, AsPng) {
  expect_plot("plot", "[3, 1, 2]", "a.png");
  EXPECT_EQ(text_of("a.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
}

TEST_F(Plots, ThatAreWrong) {
  const auto expect_wrong = [&](const std::string& call, const std::string& message) {
    expect_message(call, "cannot write " + message);
  };
  expect_wrong(R"(plot([1], ("", "", ""), "a.jpg"))", "a.jpg: the name of a plot ends with .svg or .png");
  expect_wrong(R"(plot([1.0, ln(0.0)], ("", "", ""), "a.svg"))",
               "a.svg: element 1 is -inf, which has no place in a plot");
  expect_wrong(R"(plot([t], ("", "", ""), "a.svg"))",
               "a.svg: a value of type [bool], [char], [char], [char] is nothing for a file of format plot");
  expect_wrong(R"(plot([(1, 2, 3)], ("", "", ""), "a.svg"))",
               "a.svg: a value of type [(int, int, int)], [char], [char], [char] is nothing for a file of format plot");
  expect_wrong(R"(plot_histogram([1], 0, ("", "", ""), "a.svg"))", "a.svg: a histogram has 1 to 10000 bars, not 0");
  expect_wrong(R"(plot_histogram([[1]], 1, ("", "", ""), "a.svg"))",
               "a.svg: a value of type [[int]], int, [char], [char], [char] is nothing for a file of format histogram");
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "a.svg"));
}

TEST_F(Plots, WithoutPlplot) {
  // A library of that name that is none is found before the right one.
  file("libplplot.so.17", "");
  shell("LD_LIBRARY_PATH=. " NESL_COMMAND R"( -e 'plot([1], ("", "", ""), "a.svg")')");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("ERROR: cannot write a.svg: plots are drawn by PLplot, which cannot be opened "
                               "(package libplplot17): ./libplplot.so.17: file too short\n"),
            std::string::npos)
      << result.errors;
}

TEST_F(Plots, WithoutTheDriverForPng) {
  // Of the folder of PLplot's drivers only the one for SVG.
  shell("cp /usr/lib/*/plplot*/drivers/svg.* . && PLPLOT_DRV_DIR=. " NESL_COMMAND
        R"( -e 'plot([1], ("", "", ""), "a.png")')");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(
      result.errors.find("ERROR: cannot write a.png: a plot is written as PNG by a part of PLplot that is missing "
                         "(package plplot-driver-cairo)\n"),
      std::string::npos)
      << result.errors;
}

TEST_F(Plots, WithoutAnyDriver) {
  // PLplot ends the process, if it may.
  shell("PLPLOT_DRV_DIR=. " NESL_COMMAND R"( -e 'plot([1], ("", "", ""), "a.svg")')");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("ERROR: cannot write a.svg: PLplot: "), std::string::npos) << result.errors;
}

}  // namespace

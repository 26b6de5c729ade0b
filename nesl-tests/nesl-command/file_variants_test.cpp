// Files of other programs that use the variants of a format: CSV, NumPy, Matrix Market.

#include "file_command.h"

namespace {

struct FileVariants : FileCommand {
  /// Expects that read_csv() of a file with `text`, with elements of the type of `like`, has this value.
  void expect_csv(const std::string& like, const std::string& text, const std::string& value) {
    file("a.csv", text);
    expect_value("read_csv([" + like + "], \"a.csv\")", value);
  }
  void expect_csv_with(const std::string& like, const std::string& options, const std::string& text,
                       const std::string& value) {
    file("a.csv", text);
    expect_value("read_csv_with([" + like + "], [" + options + "], \"a.csv\")", value);
  }
  void npy(const std::string& dictionary, const std::string& elements) {
    const std::string text = dictionary + "\n";
    file("a.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text + elements);
  }
  static std::string dictionary(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  }
  void expect_matrix(const std::string& text, const std::string& value) {
    file("a.mtx", text);
    expect_value("read_matrix_market(\"a.mtx\")", value);
  }
  void expect_wrong_matrix(const std::string& text, const std::string& message) {
    file("a.mtx", text);
    expect_message("read_matrix_market(\"a.mtx\")", "cannot read a.mtx:" + message);
  }
};

// --- CSV --------------------------------------------------------------------------------------------------------

TEST_F(FileVariants, CsvFieldsOfAnyTypeAreQuoted) {
  expect_csv("(0, 0.0, t, \"\")", "\"1\", \" 2.5 \" ,\"TRUE\",x\n+2,\"1e3\",FALSE,\"y\"\n",
             "[(1, 2.5, T, \"x\"), (2, 1000.0, F, \"y\")]");
  expect_csv("[0]", "\"1\",\"2\"\n", "[[1, 2]]");
  file("a.csv", "\"1\"2\n");
  expect_message("read_csv([0], \"a.csv\")", "cannot read a.csv:1:1: '\"1\"2' is not an int");
  file("a.csv", "1\n\"x\"\n");
  expect_message("read_csv([0.0], \"a.csv\")", "cannot read a.csv:2:1: 'x' is not a float");
}

TEST_F(FileVariants, NumbersHaveOneSign) {
  expect_csv("(0, 0.0)", "+5,+5\n-5,-5\n", "[(5, 5.0), (-5, -5.0)]");
  file("real.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 +-5\n");
  file("size.mtx", "%%MatrixMarket matrix coordinate real general\n1 +-1 1\n1 1 5\n");
  expect_message("read_matrix_market(\"real.mtx\")",
                 "cannot read real.mtx:3:5: '+-5' is found where a number is expected");
  expect_message("read_matrix_market(\"size.mtx\")",
                 "cannot read size.mtx:2:3: '+-1' is found where the number of columns is expected");
  for (const std::string text : {"+-5", "-+5", "--5", "++5", "+", "-"}) {
    file("a.csv", text + "\n");
    expect_message("read_csv([0], \"a.csv\")", "cannot read a.csv:1:1: '" + text + "' is not an int");
    expect_message("read_csv([0.0], \"a.csv\")", "cannot read a.csv:1:1: '" + text + "' is not a float");
  }
}

TEST_F(FileVariants, CsvBools) {
  expect_csv("t", "T\nt\nTRUE\nTrue\ntrue\n1\nF\nf\nFALSE\nFalse\nfalse\n0\n", "[T, T, T, T, T, T, F, F, F, F, F, F]");
}

TEST_F(FileVariants, CsvBlankLinesAtTheEnd) {
  for (const char* end : {"", "\n", "\n\n", "\r\n\r\n", "\n \n\n", "\r", "\r\r"}) {
    expect_csv("0", std::string("1\n2") + end, "[1, 2]");
    expect_csv("(0, \"\")", std::string("1,a\n2,") + end, "[(1, \"a\"), (2, \"\")]");
  }
  expect_csv("0", "\n\n", "[]");
  expect_csv("(0, \"\")", "1, \n", "[(1, \" \")]");
  expect_csv("(0, \"\")", "1,\"\n\n\"\n", "[(1, \"\\n\\n\")]");
  // A blank line stays where it is a row: an empty string or an empty sequence.
  expect_csv("\"\"", "a\n\n", "[\"a\", \"\"]");
  expect_csv("[0]", "1\n\n", "[[1], []]");
  file("a.csv", "1\n\n2\n");
  expect_message("read_csv([0], \"a.csv\")", "cannot read a.csv:2:1: '' is not an int");
}

TEST_F(FileVariants, CsvLineEnds) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    expect_csv("(0, \"\")", "1,a" + end + "2,b" + end, "[(1, \"a\"), (2, \"b\")]");
    expect_csv("\"\"", "a" + end + "b" + end, "[\"a\", \"b\"]");
    expect_csv("[0.0]", "1,2" + end + end + "3" + end, "[[1.0, 2.0], [], [3.0]]");
    file("a.csv", "1" + end + "x" + end);
    expect_message("read_csv([0], \"a.csv\")", "cannot read a.csv:2:1: 'x' is not an int");
  }
}

TEST_F(FileVariants, CsvTextsThatLookLikeSomethingElse) {
  expect_round_trip("[\"a\" ++ [code_char(13)], [code_char(13)] ++ \"b\", [code_char(13)]]", "csv");
  expect_round_trip("[(1, \"a\" ++ [code_char(13)]), (2, [code_char(13)])]", "csv");
  // The byte order mark that spreadsheets write at the beginning of a file is text elsewhere.
  expect_round_trip("[[code_char(239), code_char(187), code_char(191)] ++ \"a\"]", "csv");
}

TEST_F(FileVariants, CsvOptions) {
  expect_csv_with("(0, 0.0)", "(\"separator\", \";\")", "1;2.5\n\"2\" ; 3\n", "[(1, 2.5), (2, 3.0)]");
  expect_csv_with("(\"\", 0)", "(\"separator\", \"\\t\")", "a,b\t1\n", "[(\"a,b\", 1)]");
  expect_csv_with("(0, 0)", "(\"separator\", \" \")", "1 2\n", "[(1, 2)]");
  expect_csv_with("0", "(\"skip\", \"2\")", "\"a\nname\"\nunit\n3\n", "[3]");
  expect_csv_with("0", "(\"skip\", \"5\")", "1\n", "[]");
  expect_csv_with("(0, 0.0, \"\")", "(\"missing\", \"NA\"), (\"missing\", \"\")", "1,NA,NA\n2,,x\n3,\"NA\",\n",
                  "[(1, nan, \"NA\"), (2, nan, \"x\"), (3, nan, \"\")]");
  file("a.csv", "1;NA\n");
  const auto expect_wrong = [&](const std::string& options, const std::string& message) {
    expect_message("read_csv_with([(0, 0)], [" + options + "], \"a.csv\")", "cannot read a.csv" + message);
  };
  expect_wrong("(\"separator\", \";\"), (\"missing\", \"NA\")",
               ":1:3: 'NA' stands for what is missing, which can only be a float");
  expect_wrong("(\"separator\", \"tab\")",
               ": the separator 'tab' is not one character that could stand between fields");
  expect_wrong("(\"skip\", \"-1\")", ": '-1' is no number of rows to be skipped");
  expect_wrong("(\"sep\", \";\")",
               ": there is no option 'sep' of CSV files: there are separator, skip, missing and column");
  file("a.csv", "\"1\"x;2\n");
  expect_message("read_csv_with([(\"\", 0)], [(\"separator\", \";\")], \"a.csv\")",
                 "cannot read a.csv:1:4: ';' or the end of the line is expected");
}

TEST_F(FileVariants, CsvColumnsByName) {
  const auto read = [](const std::string& like, const std::string& names) {
    return "read_csv_named([" + like + "], [" + names + "], \"a.csv\")";
  };
  file("a.csv", "id,\"the \"\"name\"\"\",x,id2\n1,\"a,\nb\",2.5,7\n2,c, 3 ,8\n\n");
  expect_value(read("(0.0, 0)", "\"x\", \"id\""), "[(2.5, 1), (3.0, 2)]");
  expect_value(read("\"\"", "\"the \\\"name\\\"\""), "[\"a,\\nb\", \"c\"]");
  expect_value(read("0", "\"id2\""), "[7, 8]");
  expect_value(read("[0.0]", "\"id2\", \"x\", \"id\""), "[[7.0, 2.5, 1.0], [8.0, 3.0, 2.0]]");
  expect_message(read("0", "\"x\""), "cannot read a.csv:3:4: '2.5' is not an int");
  expect_message(read("0", "\"ID\""),
                 "cannot read a.csv:1:1: there is no column 'ID': the columns are 'id', 'the \"name\"', 'x', 'id2'");
  expect_message(read("(0, 0)", "\"id\", \"id\""), "cannot read a.csv: the column 'id' is named twice");
  file("a.csv", "a,b,a\n1,2,3\n4,5\n");
  expect_message(read("0", "\"a\""), "cannot read a.csv:1:1: there are several columns 'a'");
  expect_message(read("0", "\"b\""), "cannot read a.csv:3:4: 2 fields where 3 are expected");
  file("a.csv", "a,b\n1,2,3\n");
  expect_message(read("[0]", "\"b\", \"a\""), "cannot read a.csv:2:5: there are more fields than 2");
  file("a.csv", "a,b\n\"1\"x,2\n");
  expect_message(read("t", "\"a\""), "cannot read a.csv:2:1: '\"1\"x' is not a bool");
  expect_message(read("0", "\"b\""), "cannot read a.csv:2:4: a comma or the end of the line is expected");
  file("a.csv", "a\n\nx\n\n");
  expect_value(read("\"\"", "\"a\""), "[\"\", \"x\", \"\"]");
  file("a.csv", "a,b\n");
  expect_value(read("0", "\"b\""), "[]");
  expect_csv_with(
      "(0, 0.0)",
      "(\"skip\", \"2\"), (\"separator\", \";\"), (\"column\", \"a\"), (\"column\", \"b\"), (\"missing\", \"NA\")",
      "made by a program\n\nunit;b;a\n;NA;1\n", "[(1, nan)]");
}

TEST_F(FileVariants, NumbersThatNoFloatCanHold) {
  file("wide.csv", "1\n-1e400\n");
  file("narrow.csv", "1\n1e39\n");
  file("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e400\n");
  file("narrow.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e39\n");
  expect_message("read_csv([0.0], \"wide.csv\")", "cannot read wide.csv:2:1: '-1e400' is out of range");
  expect_message("read_matrix_market(\"wide.mtx\")", "cannot read wide.mtx:3:5: '1e400' is out of range");
  expect_value("{x > 1.0e38 : x in read_csv([0.0], \"narrow.csv\")}", "[F, T]");
  expect_value("write_npy([[1.0, 1.0e39]], \"a.npy\") and write_binary([1.0, 1.0e39], \"a.bin\")", "T");
  const auto expect_narrow = [&](const std::string& expression, const std::string& message) {
    nesl({"-e", expression, "--float=32"});
    EXPECT_EQ(result.exit_status, 1) << expression;
    EXPECT_NE(result.errors.find("ERROR: cannot read " + message + "\n"), std::string::npos)
        << expression << ": " << result.output << result.errors;
  };
  expect_narrow("read_csv([0.0], \"narrow.csv\")", "narrow.csv:2:1: '1e39' is out of range of floats of 32 bits");
  expect_narrow("read_matrix_market(\"narrow.mtx\")", "narrow.mtx:3:5: '1e39' is out of range of floats of 32 bits");
  expect_narrow("read_npy([[0.0]], \"a.npy\")",
                "a.npy: element [0][1] is 1e+39, which is out of range of floats of 32 bits");
  expect_narrow("read_binary([0.0], \"a.bin\")",
                "a.bin: element 1 is 1e+39, which is out of range of floats of 32 bits");
  file("small.csv", "1e-400\n4e-320\n1e-39\n");
  expect_value("{x == 0.0 : x in read_csv([0.0], \"small.csv\")}", "[T, F, F]");
  expect_csv("0.0", "inf\n-inf\nnan\n", "[inf, -inf, nan]");
}

// --- NumPy ------------------------------------------------------------------------------------------------------

TEST_F(FileVariants, NpyOfEveryByteOrderAndWidth) {
  npy(dictionary(">i4", "2,"), std::string("\0\0\1\2\xFF\xFF\xFF\xFE", 8));
  expect_value("read_npy([0], \"a.npy\")", "[258, -2]");
  npy(dictionary(">f8", "1,"), std::string("\x3F\xF8\0\0\0\0\0\0", 8));
  expect_value("read_npy([0.0], \"a.npy\")", "[1.5]");
  npy("{'descr': '>u2', 'fortran_order': True, 'shape': (2, 2)}", std::string("\0\1\0\2\0\3\1\0", 8));
  expect_value("read_npy([[0.0]], \"a.npy\")", "[[1.0, 3.0], [2.0, 256.0]]");
  // 1, -2, the largest, the least normal and subnormal ones, infinity, nan
  const auto expect_halves = [&] {
    expect_value(
        "{a == b : a in take(read_npy([0.0], \"a.npy\"), 5); b in [1.0, -2.0, 65504.0, 1.0 / 16384.0, 1.0 / "
        "16777216.0]}",
        "[T, T, T, T, T]");
    expect_value("drop(read_npy([0.0], \"a.npy\"), 5)", "[inf, nan]");
  };
  const std::string halves("\0\x3C\0\xC0\xFF\x7B\0\4\1\0\0\x7C\1\x7E", 14);
  npy(dictionary("<f2", "7,"), halves);
  expect_halves();
  std::string swapped = halves;
  for (std::size_t k = 0; k < swapped.size(); k += 2) std::swap(swapped[k], swapped[k + 1]);
  npy(dictionary(">f2", "7,"), swapped);
  expect_halves();
}

TEST_F(FileVariants, NpyHeadersAsPythonAllowsThem) {
  npy("{\"descr\": \"<i2\", \"fortran_order\" :False,\"shape\":(1,) }", std::string("\5\0", 2));
  expect_value("read_npy([0], \"a.npy\")", "[5]");
  npy("{'shape': (1,), 'fortran_order': False, 'descr': '|b1'}", "\1");
  expect_value("read_npy([t], \"a.npy\")", "[T]");
  for (const char* header : {"", "shape", "{'descr: 1}", "{'descr' '<i4'}", "{descr: 1}", "{'descr': '<i4"}) {
    npy(header, "");
    expect_message("read_npy([0], \"a.npy\")", "cannot read a.npy: the header of the .npy file is no dictionary");
  }
}

TEST_F(FileVariants, NpyIntsOutOfRange) {
  npy(dictionary("<u8", "2, 2"), std::string(16, '\0') + std::string(8, '\xFF') + std::string(8, '\0'));
  nesl({"-e", "read_npy([[0]], \"a.npy\")", "--int=64"});
  EXPECT_NE(result.errors.find("element [1][0] is 18446744073709551615, which does not fit into an int of 64 bits\n"),
            std::string::npos)
      << result.errors;
  expect_value("{{x > 1.8e19 : x in row} : row in read_npy([[0.0]], \"a.npy\")}", "[[F, F], [T, F]]");
}

TEST_F(FileVariants, NpyManyEmptyRows) {
  npy(dictionary("<i4", "20000000, 0"), "");
  expect_value("let v = read_npy([[0]], \"a.npy\") in (#v, #flatten(v))", "(20000000, 0)");
}

// --- Matrix Market ----------------------------------------------------------------------------------------------

TEST_F(FileVariants, MatrixMarketHeadersAndNumbers) {
  expect_matrix("%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 1.5\n", "[[(1, 1.5)]]");
  expect_matrix(
      "\xEF\xBB\xBF%%MatrixMarket MATRIX Coordinate Real General\r\n%\r\n\r\n1 2 2\r\n1 2 1.5D+3\r\n1 1 -2d0\r\n",
      "[[(0, -2.0), (1, 1500.0)]]");
  expect_matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n% between\n\n2 2 +2.0\n\n% end\n",
                "[[(0, 1.0)], [(1, 2.0)]]");
}

TEST_F(FileVariants, MatrixMarketArrays) {
  expect_matrix("%%MatrixMarket matrix array real general\n2 3\n1\n2\n0\n4\n5.5\n0\n",
                "[[(0, 1.0), (2, 5.5)], [(0, 2.0), (1, 4.0)]]");
  expect_matrix("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n",
                "[[(0, 1.0), (1, 2.0)], [(0, 2.0), (1, 3.0)]]");
  expect_matrix("%%MatrixMarket matrix array real skew-symmetric\n2 2\n3\n", "[[(1, -3.0)], [(0, 3.0)]]");
  expect_matrix("%%MatrixMarket matrix array real general\n0 5\n", "[]");
  const std::string array = "%%MatrixMarket matrix array real general\n";
  expect_wrong_matrix(array + "2 1\n1\n", "4:1: the file ends where a number is expected");
  expect_wrong_matrix(array + "1 1\n1\n2\n", "4:1: '2' is more than the numbers that a matrix of this size has");
  expect_wrong_matrix(array + "1 1 1\n1\n", "2:5: '1' is too much: the size of the matrix is complete");
}

TEST_F(FileVariants, MatrixMarketThatIsNotRead) {
  const auto of = [](const std::string& kind) { return "%%MatrixMarket matrix " + kind + "\n"; };
  const std::string kinds = " are not read: only real and integer, and pattern in the format coordinate";
  expect_wrong_matrix(of("coordinate complex general"), "1:1: entries that are 'complex'" + kinds);
  expect_wrong_matrix(of("array pattern general"), "1:1: entries that are 'pattern'" + kinds);
  expect_wrong_matrix(of("coordinate real Hermitian"),
                      "1:1: a matrix that is 'hermitian' is not read: only general, symmetric and skew-symmetric");
  expect_wrong_matrix(of("table real general"), "1:1: the format is 'table': only coordinate and array are read");
  for (const std::string symmetry : {"symmetric", "skew-symmetric"})
    for (const std::string format : {"coordinate", "array"})
      expect_wrong_matrix(
          of(format + " real " + symmetry) + (format == "array" ? "3 2\n" : "3 2 1\n3 1 1.0\n"),
          "2:1: a matrix that is " + symmetry + " has as many rows as columns, not 3 rows and 2 columns");
  expect_wrong_matrix(of("coordinate real skew-symmetric") + "2 2 1\n2 2 1.0\n",
                      "3:5: the diagonal of a skew-symmetric matrix is 0");
}

TEST_F(FileVariants, MatrixMarketSurplusValues) {
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  expect_wrong_matrix(real + "2 2 2\n1 1 1.0 7.0\n2 2 1.0\n",
                      "3:9: '7.0' is too much: an entry is a row, a column and a number");
  expect_wrong_matrix("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1.0\n",
                      "3:5: '1.0' is too much: an entry of a pattern is a row and a column");
  expect_wrong_matrix(real + "2 2 1 9\n1 1 1.0\n", "2:7: '9' is too much: the size of the matrix is complete");
  expect_wrong_matrix(real + "1 1 1\n1 1 1.0\n\n1 1 1.0\n", "5:1: the matrix has more than the 1 entries promised");
}

}  // namespace

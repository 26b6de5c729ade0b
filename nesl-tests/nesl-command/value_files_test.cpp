// Files of other programs: CSV, NumPy, Matrix Market, text, bytes, PNG.

#include "file_command.h"

namespace {

struct ValueFiles : FileCommand {
  /// A .npy file with a header of version 1.
  void npy(const std::string& dictionary, const std::string& elements) {
    const std::string text = dictionary + "\n";
    file("a.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text + elements);
  }
  static std::string dictionary(const std::string& descr, const std::string& shape,
                                const std::string& order = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  }
};

TEST_F(ValueFiles, TextAndLines) {
  file("a", "one\r\n\ntwo \xC3\xA9");
  expect_value("read_lines(\"a\")", "[\"one\", \"\", \"two \xC3\xA9\"]");
  expect_value("#read_text(\"a\")", "12");
  file("empty", "");
  expect_value("(read_lines(\"empty\"), read_text(\"empty\"))", "([], \"\")");
  expect_message("read_lines(\"nothing\")", "cannot read nothing: cannot be opened: No such file or directory");
  expect_message("read_text(\".\")", "cannot read .: cannot be read: Is a directory");
}

TEST_F(ValueFiles, Binary) {
  expect_round_trip("\"ab\" ++ [code_char(0), code_char(255)]", "binary");
  expect_round_trip("[1, -2, 2147483647]", "binary");
  expect_round_trip("[0.1, -1.0e300]", "binary");
  file("a", "123456789");
  expect_message("read_binary([0], \"a\")", "cannot read a: 9 bytes are not a whole number of elements of 8");
  file("b", std::string("\0\0\0\0\1\0\0\0", 8));
  expect_value("read_binary([0], \"b\")", "[4294967296]");
  nesl({"-e", "read_binary([0], \"b\")", "--int=32"});
  EXPECT_NE(result.errors.find("ERROR: cannot read b: element 0 is 4294967296, which is no int of 32 bits\n"),
            std::string::npos)
      << result.errors;
  expect_message("read_binary([(1, 2)], \"a\")",
                 "cannot read a: a value of type [(int, int)] is nothing for a file of format binary");
}

TEST_F(ValueFiles, CsvReads) {
  file("a.csv", "1, 2.5,T,\"a \"\"b\"\", c\"\r\n-3,1e3,false,\n");
  expect_value("read_csv([(0, 0.0, t, \"\")], \"a.csv\")", "[(1, 2.5, T, \"a \\\"b\\\", c\"), (-3, 1000.0, F, \"\")]");
  file("m.csv", "1,2\n\n3");
  expect_value("read_csv([[0]], \"m.csv\")", "[[1, 2], [], [3]]");
  file("l.csv", "a\nb c\n");
  expect_value("read_csv([\"\"], \"l.csv\")", "[\"a\", \"b c\"]");
  file("e.csv", "");
  expect_value("read_csv([0.0], \"e.csv\")", "[]");
}

TEST_F(ValueFiles, CsvRoundTrips) {
  expect_round_trip("[(1, 0.1, t, \"a,b\"), (2, -1.0e300, f, \"say \\\"x\\\"\")]", "csv");
  expect_round_trip("[[0.5, 1.0], [] float, [3.0]]", "csv");
  expect_round_trip("[1, 2, 3]", "csv");
  expect_round_trip("[\"\", \"two\", [code_char(10), code_char(13)]]", "csv");
  expect_round_trip("[] (int, bool)", "csv");
}

TEST_F(ValueFiles, CsvThatIsWrong) {
  file("a.csv", "1,2\n3,x\n");
  expect_message("read_csv([(0, 0)], \"a.csv\")", "cannot read a.csv:2:3: 'x' is not an int");
  expect_message("read_csv([[0.0]], \"a.csv\")", "cannot read a.csv:2:3: 'x' is not a float");
  expect_message("read_csv([(0, 0, 0)], \"a.csv\")", "cannot read a.csv:1:4: 2 fields where 3 are expected");
  expect_message("read_csv([0], \"a.csv\")", "cannot read a.csv:1:3: there are more fields than 1");
  expect_message("read_csv([(t, 0)], \"a.csv\")", "cannot read a.csv:2:1: '3' is not a bool");
  file("b.csv", "2147483648\n");
  nesl({"-e", "read_csv([0], \"b.csv\")", "--int=32"});
  EXPECT_NE(result.errors.find("ERROR: cannot read b.csv:1:1: 2147483648 is no int of 32 bits\n"), std::string::npos)
      << result.errors;
  file("c.csv", "\"a\nb\"\n\"c\n");
  expect_message("read_csv([\"\"], \"c.csv\")", "cannot read c.csv:3:1: the closing quote is missing");
  file("d.csv", "\"a\"b\n");
  expect_message("read_csv([\"\"], \"d.csv\")", "cannot read d.csv:1:4: a comma or the end of the line is expected");
  expect_message("read_csv([[\"\"]], \"d.csv\")",
                 "cannot read d.csv: a value of type [[[char]]] is nothing for a file of format csv");
}

TEST_F(ValueFiles, PiecesOfAFileInMessagesAreShort) {
  file("a.csv", std::string("\0\xFF\x1B[1m", 6) + "\n");
  expect_message("read_csv([0], \"a.csv\")", "cannot read a.csv:1:1: ' ? [1m' is not an int");
  file("a.csv", std::string(100'000, 'x'));
  nesl({"-e", "read_csv([0], \"a.csv\")"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_LT(result.errors.size(), 900u);
}

TEST_F(ValueFiles, WhatHasNoEndDoesNotFitIntoTheMemory) {
  for (const char* name : {"/dev/zero", "pipe"}) {
    shell("mkfifo pipe; yes > pipe & " NESL_COMMAND " --memory=50M -e '#read_text(\"" + std::string(name) +
          "\")'; kill $!");
    EXPECT_NE(result.errors.find("does not fit into the memory that is left (see --memory)\n"), std::string::npos)
        << result.output << result.errors;
    std::filesystem::remove(directory.path() / "pipe");
  }
}

TEST_F(ValueFiles, StreamsWithoutEndDoNotFitIntoTheMemory) {
  for (const std::string program : {"#read_string_from_file(\"/dev/zero\")", "read_line(stdin)"}) {
    file("p.nesl", program + ";\n");
    shell(NESL_COMMAND " run p.nesl --memory=50M < /dev/zero");
    EXPECT_EQ(result.exit_status, 1) << program;
    EXPECT_NE(result.errors.find(
                  "out of memory: what is read does not fit (see --memory; by default half of the free memory)\n"),
              std::string::npos)
        << program << ": " << result.errors;
  }
}

TEST_F(ValueFiles, CsvWithNames) {
  const std::string write = "write_csv_named([(1, \"x\"), (2, \"y\")], [\"n\", \"a,b\"], \"n.csv\")";
  expect_value(write, "T");
  EXPECT_EQ(text_of("n.csv"), "n,\"a,b\"\n1,x\n2,y\n");
  const auto read = [](const std::string& like, const std::string& names) {
    return "read_csv_named([" + like + "], " + names + ", \"n.csv\")";
  };
  expect_value(read("(0, \"\")", "[\"n\", \"a,b\"]"), "[(1, \"x\"), (2, \"y\")]");
  expect_value(read("(0, \"\")", "[] [char]"), "[(1, \"x\"), (2, \"y\")]");
  expect_value(read("(\"\", 0)", "[\"a,b\", \"n\"]"), "[(\"x\", 1), (\"y\", 2)]");
  expect_message(read("(0, \"\")", "[\"n\", \"c\"]"),
                 "cannot read n.csv:1:1: there is no column 'c': the columns are 'n', 'a,b'");
  expect_message(read("(0, \"\")", "[\"n\"]"),
                 "cannot read n.csv: the number of names is 1, that of the fields of a row 2");
  expect_message(read("(0, 0)", "[] [char]"), "cannot read n.csv:2:3: 'x' is not an int");
  // A file as spreadsheets write it, with a name that takes two lines.
  file("n.csv", "\xEF\xBB\xBF\"one\r\nname\"\r\n1.5\r\nx\r\n");
  expect_message(read("0.0", "[\"n\"]"), "cannot read n.csv:1:1: there is no column 'n': the columns are 'one  name'");
  expect_message(read("0.0", "[] [char]"), "cannot read n.csv:4:1: 'x' is not a float");
  file("n.csv", "");
  expect_message(read("0", "[] [char]"), "cannot read n.csv:1:1: the line with the names of the columns is missing");
  expect_message("write_csv_named([(1, 2)], [\"n\"], \"n.csv\")",
                 "cannot write n.csv: the number of names is 1, that of the columns 2");
  EXPECT_EQ(text_of("n.csv"), "");
}

TEST_F(ValueFiles, ZerosOfEitherSignAreWrittenAlike) {
  expect_value("write_csv([0.0, -0.0, -1.5], \"z.csv\")", "T");
  EXPECT_EQ(text_of("z.csv"), "0\n0\n-1.5\n");
}

// Numbers of a file with the widths of the program are used without a copy, except in the memory of a device.
TEST_F(ValueFiles, LongVectorsInEveryMemory) {
  const std::string value = "({i * i : i in [0:1000]}, {float(i) / 3.0 : i in [0:1000]}, {evenp(i) : i in [0:1000]})";
  const std::string text = "let (a, b, c) = " + value +
                           "; v = zip(a, zip(b, c)); done = write_npz((a, b, c), [\"a\", \"b\", \"c\"], \"n\") and "
                           "write_csv(v, \"c\"); (x, y, z) = read_npz(([0], [0.0], [t]), [\"a\", \"b\", \"c\"], \"n\")"
                           " in (eql((x, y, z), (a, b, c)), eql(read_csv([(0, (0.0, t))], \"c\"), v), "
                           "sum(reverse(x)) == sum(a), count(z))";
  for (const char* flag : {"--int=32", "--int=64", "--float=32", "--backend=separate", "--memory=10M"}) {
    nesl({"-e", text, flag});
    expect(0, "it = (T, T, T, 500) : bool, bool, bool, int\n", "");
  }
  npy(dictionary("|b1", "100,"), std::string(100, '\2'));
  expect_value("count(read_npy([t], \"a.npy\"))", "100");
}

TEST_F(ValueFiles, NpyRoundTrips) {
  for (const char* value : {"[1, -2]", "[0.1]", "[t, f]", "[[1, 2], [3, 4]]", "[[0.5], [1.5]]", "[[t, f]]", "[] int",
                            "[[] int, [] int]", "[] [float]"})
    expect_round_trip(value, "npy");
  expect_message("write_npy([[1], [2, 3]], \"a.npy\")",
                 "cannot write a.npy: an array has rows of one length, but row 0 has 1 elements and row 1 has 2");
  expect_message("write_npy([(1, 2)], \"a.npy\")",
                 "cannot write a.npy: a value of type [(int, int)] is nothing for a file of format npy");
}

TEST_F(ValueFiles, NpyAsNumpyWritesIt) {
  npy(dictionary("<i2", "2, 2"), std::string("\1\0\2\0\3\0\xFF\xFF", 8));
  expect_value("read_npy([[0]], \"a.npy\")", "[[1, 2], [3, -1]]");
  expect_value("read_npy([[0.0]], \"a.npy\")", "[[1.0, 2.0], [3.0, -1.0]]");
  npy(dictionary("|u1", "2, 3", "True"), std::string("\1\2\3\4\5\xFF", 6));
  expect_value("read_npy([[0]], \"a.npy\")", "[[1, 3, 5], [2, 4, 255]]");
  npy(dictionary("<f4", "1,"), std::string("\0\0\x20\x41", 4));
  expect_value("read_npy([0.0], \"a.npy\")", "[10.0]");
}

TEST_F(ValueFiles, NpyThatIsWrong) {
  const auto expect_wrong = [&](const std::string& message) {
    expect_message("read_npy([0], \"a.npy\")", "cannot read a.npy: " + message);
  };
  npy(dictionary("|O", "1,"), "pickle");
  expect_wrong("the file holds pickled Python objects (dtype object), which are never read");
  npy(dictionary("<c16", "0,"), "");
  expect_wrong("elements of dtype '<c16' are neither ints, floats nor bools");
  npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", "1234");
  expect_wrong("the elements are records, which NESL has no type for: save each field as an array");
  npy(dictionary("<f8", "0,"), "");
  expect_wrong("the elements have dtype f8, which is not int");
  npy(dictionary("<u8", "1,"), std::string(8, '\xFF'));
  expect_wrong("element [0] is 18446744073709551615, which does not fit into an int of 64 bits");
  npy(dictionary("<i4", "2,"), "1234");
  expect_wrong("the header of the .npy file promises 8 bytes of elements, but there are 4");
  npy(dictionary("<i4", "4611686018427387905,"), "1234");
  expect_wrong("the shape in the header of the .npy file is wrong");
  npy(dictionary("<i4", "-1,"), "1234");
  expect_wrong("the shape in the header of the .npy file is wrong");
  npy(dictionary("<i4", "1, 1, 1"), "1234");
  expect_wrong("the array has 3 dimensions, a value of type [int] has 1");
  npy(dictionary("<i4", "1000000000000, 0"), "");
  expect_message("read_npy([[0]], \"a.npy\")",
                 "cannot read a.npy: what it holds does not fit into the memory that is left (see --memory)");
  npy(dictionary("<i4", "1152921504606846976, 0"), "");
  expect_message("read_npy([[0]], \"a.npy\")",
                 "cannot read a.npy: what it holds does not fit into the memory that is left (see --memory)");
  npy("{'descr': '<i4', 'fortran_order': False}", "");
  expect_wrong("the header of the .npy file has no 'shape'");
  file("a.npy", "PK");
  expect_wrong("this is no .npy file");
  file("a.npy", std::string("\x93NUMPY\x01\x00\x76", 9));
  expect_wrong("the .npy file ends within its header");
  file("a.npy", std::string("\x93NUMPY\x01\x00\x76\x00{'descr'", 18));
  expect_wrong("the .npy file ends within its header");
  file("a.npy", std::string("\x93NUMPY\x07\x00\x00\x00", 10));
  expect_wrong("version 7 of the .npy format is not known");
}

TEST_F(ValueFiles, MatrixMarket) {
  file("a.mtx", "%%MatrixMarket matrix coordinate real general\n% a comment\n2 3 3\n2 1 -1.5\n1 3 2\n1 1 1e2\n");
  expect_value("read_matrix_market(\"a.mtx\")", "[[(0, 100.0), (2, 2.0)], [(0, -1.5)]]");
  file("s.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
  expect_value("read_matrix_market(\"s.mtx\")", "[[(0, 1.0), (1, 1.0)], [(0, 1.0)]]");
  file("k.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n");
  expect_value("read_matrix_market(\"k.mtx\")", "[[(1, -3.0)], [(0, 3.0)]]");
  expect_value(
      "let v = [[(1, 0.1)], [] (int, float)]; ok = write_matrix_market(v, 2, \"w.mtx\") "
      "in eql(read_matrix_market(\"w.mtx\"), v)",
      "T");
  expect_message("write_matrix_market([[(2, 0.1)]], 2, \"x.mtx\")",
                 "cannot write x.mtx: row 0 has an entry in column 2, but the matrix has 2 columns");
}

TEST_F(ValueFiles, MatrixMarketThatIsWrong) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const auto expect_wrong = [&](const std::string& text, const std::string& message) {
    file("a.mtx", text);
    expect_message("read_matrix_market(\"a.mtx\")", "cannot read a.mtx:" + message);
  };
  expect_wrong("1 1 1\n", "1:1: this is no matrix of Matrix Market");
  expect_wrong(banner + "1 1 1\n1 2 3.0\n", "3:3: there is no column 2: they are 1 to 1");
  expect_wrong(banner + "1 1 1\n1 1 x\n", "3:5: 'x' is found where a number is expected");
  expect_wrong(banner + "1 1 2\n1 1 1.0\n", "4:1: the file ends where row is expected");
  expect_wrong(banner + "1 1 1\n1 1 1.0\n1 1 1.0\n", "4:1: the matrix has more than the 1 entries promised");
  expect_wrong(banner + "-1 1 1\n", "2:1: the number of rows is -1, not from 0 to 2147483647");
}

TEST_F(ValueFiles, Pictures) {
  expect_value("write_image([[0, 128], [255, 1]], \"a.png\")", "picture(\"a.png\")");
  const std::string grey = text_of("a.png");
  // The signature; from the header the width, height, depth and colour type.
  EXPECT_EQ(grey.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(grey.substr(16, 10), std::string("\0\0\0\2\0\0\0\2\x08\0", 10));
  nesl({"-e", "write_image([[(255, 0, 0), (0, 255, 0), (0, 0, 255)]], \"b.png\")"});
  EXPECT_EQ(text_of("b.png").substr(16, 10), std::string("\0\0\0\3\0\0\0\1\x08\2", 10));
  expect_message("write_image([[0, 256]], \"c.png\")",
                 "cannot write c.png: the pixel in row 0, column 1 has a level of 256: levels are 0 to 255");
  expect_message("write_image([[0], [1, 2]], \"c.png\")",
                 "cannot write c.png: an image has rows of one length, but row 0 has 1 pixels and row 1 has 2");
  expect_message("write_image([] [int], \"c.png\")",
                 "cannot write c.png: an image has at least one row and one column");
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "c.png"));
}

TEST_F(ValueFiles, WhatIsWrittenHasTheType) {
  const auto write = [&](const std::string& format, const std::string& type, const std::string& vectors) {
    file("w.vcode", "FUNC MAIN\nCONST CHAR \"out.svg\"\nCONST CHAR \"" + format + "\"\nCONST CHAR \"" + type +
                        "\"\nCONST INT 2\nFOPEN_AS\nPOP 2 0\n" + vectors + "FCLOSE\nRET\n");
    nesl({"run", "w.vcode"});
  };
  const std::string one = "CONST INT 1\nMAKE_SEGDES\nCOPY 1 1\nFWRITE SEGDES\nPOP 2 0\n";
  for (const auto& [format, type, vectors] :
       std::vector<std::array<std::string, 3>>{{"npy", "[int]", ""},
                                               {"npy", "[int]", one},
                                               {"npy", "[[int]]", one},
                                               {"binary", "[float]", one},
                                               {"csv", "[(int, float)]", ""},
                                               {"png", "[[int]]", one},
                                               {"plot", "[int], [char], [char], [char]", ""},
                                               {"plot", "[int], [char], [char], [char]", one},
                                               {"mtx", "[[(int, float)]], int", ""}}) {
    write(format, type, vectors);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    std::string codes;
    for (const char c : "out.svg: what is written is no value of type " + type)
      codes += std::to_string(static_cast<int>(c)) + " ";
    EXPECT_EQ(result.output, "( " + codes + ")\n( F )\n") << format << type;
  }
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "out.svg"));
  file("p.nesl", "datatype point(x : int, y : int);\nwrite_csv([point(1, 2)], \"a.csv\");\n");
  nesl({"run", "p.nesl"});
  EXPECT_NE(
      result.errors.find("ERROR: cannot write a.csv: a value of type [point] is nothing for a file of format csv\n"),
      std::string::npos)
      << result.output;
}

TEST_F(ValueFiles, AnOldFileRemainsIfTheNewOneFails) {
  file("a.csv", "old\n");
  expect_message("write_csv([[\"x\"]], \"a.csv\")",
                 "cannot write a.csv: a value of type [[[char]]] is nothing for a file of format csv");
  EXPECT_EQ(text_of("a.csv"), "old\n");
  expect_message("write_csv([1], \"no/a.csv\")", "cannot write no/a.csv: cannot be written: No such file or directory");
  expect_message("write_csv([1], \".\")", "cannot write .: cannot be written: Is a directory");
  // A link remains a link.
  std::filesystem::create_symlink("a.csv", directory.path() / "link.csv");
  nesl({"-e", "write_csv([2], \"link.csv\")"});
  EXPECT_EQ(text_of("a.csv"), "2\n");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.path() / "link.csv"));
  std::filesystem::permissions(directory.path() / "a.csv", std::filesystem::perms::owner_all);
  nesl({"-e", "write_csv([1], \"a.csv\")"});
  EXPECT_EQ(text_of("a.csv"), "1\n");
  EXPECT_EQ(std::filesystem::status(directory.path() / "a.csv").permissions(), std::filesystem::perms::owner_all);
}

TEST_F(ValueFiles, WhatIsReadCountsTowardTheMemory) {
  const auto expect_too_large = [&](const std::string& expression) {
    nesl({"-e", expression, "--memory=50M"});
    EXPECT_EQ(result.exit_status, 1) << expression;
    EXPECT_NE(result.errors.find("does not fit into the memory that is left (see --memory)\n"), std::string::npos)
        << expression << ": " << result.output << result.errors;
  };
  file("lie.mtx", "%%MatrixMarket matrix coordinate real general\n2147483647 5 1\n1 1 3.0\n");
  expect_too_large("#read_matrix_market(\"lie.mtx\")");
  file("long", std::string(60 << 20, 'x'));
  expect_too_large("#read_text(\"long\")");
  // Small files that become large vectors: 8 bytes for each character of two, and for each number.
  std::string numbers;
  for (int k = 0; k < 5 << 20; ++k) numbers += "1\n";
  file("numbers", numbers);
  expect_too_large("#read_lines(\"numbers\")");
  expect_too_large("#read_csv([0.0], \"numbers\")");
  nesl({"-e", "#read_csv([0.0], \"numbers\")", "--memory=300M"});
  expect(0, "it = 5242880 : int\n", "");
}

}  // namespace

// With --sandbox a program reads nothing of the machine but its own text and standard input, and writes nothing but the
// standard streams. No message shows anything of a refused file.

#include <algorithm>

#include "command.h"

namespace {

struct Sandbox : Command {
  const std::string secret = "The-Secret";

  void SetUp() override {
    file("secret", secret + " of the file");
    file("secret.nesl", secret + " of the file;");
    file("good.nesl", "function from_file(x) = x;\n");
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  /// Expects a failure with this reason, and that nothing was shown or changed.
  void expect_refused(const std::string& what) {
    EXPECT_EQ(result.exit_status, 1) << what;
    EXPECT_NE(result.errors.find("is refused: the "), std::string::npos) << what << ": " << result.errors;
    EXPECT_EQ((result.output + result.errors).find(secret), std::string::npos) << what << ": " << result.errors;
    EXPECT_EQ(files(), all_files) << what;
    EXPECT_EQ(text_of("secret"), secret + " of the file") << what;
  }
  std::vector<std::string> all_files;
};

TEST_F(Sandbox, LibraryFunctions) {
  const std::vector<std::string> calls = {"open_file(\"secret\", 1)",
                                          "open_in_file(\"secret\")",
                                          "open_out_file(\"secret\")",
                                          "open_append_file(\"secret\")",
                                          "read_object_from_file([] char, \"secret\")",
                                          "read_int_seq_from_file(\"secret\")",
                                          "read_float_seq_from_file(\"secret\")",
                                          "read_string_from_file(\"secret\")",
                                          "read_text(\"secret\")",
                                          "read_lines(\"secret\")",
                                          "read_binary(\"\", \"secret\")",
                                          "read_csv([\"\"], \"secret\")",
                                          "read_csv_named([\"\"], [\"\"], \"secret\")",
                                          "read_npy([0], \"secret\")",
                                          "read_npz([0], [\"x\"], \"secret\")",
                                          "read_matrix_market(\"secret\")",
                                          "write_binary(\"x\", \"secret\")",
                                          "write_csv([1], \"new\")",
                                          "write_csv_named([1], [\"n\"], \"new\")",
                                          "write_npy([1], \"secret\")",
                                          "write_npz([1], [\"x\"], \"new\")",
                                          "plot([1], (\"\", \"\", \"\"), \"new.svg\")",
                                          "write_matrix_market([[(0, 1.0)]], 1, \"new\")",
                                          "write_image([[1]], \"new\")",
                                          "write_object_to_file(1, \"secret\")",
                                          "write_object_to_file(1, \"new\")",
                                          "write_string_to_file(\"x\", \"secret\")",
                                          "append_string_to_file(\"x\", \"secret\")",
                                          "grep(\"e\", \"secret\")",
                                          "spawn(\"touch new\", nullstr, nullstr, nullstr)",
                                          "shell_command(\"cat secret\", \"\")",
                                          "get_environment_variable(\"HOME\")"};
  for (const std::string& call : calls) {
    file("a.nesl", call + ";\n");
    all_files = files();
    nesl({"--sandbox", "--allow-spawn", "-e", call});
    expect_refused(call);
    nesl({"run", "--sandbox", "--allow-spawn", "a.nesl"});
    expect_refused(call);
  }
  // No other function of the library uses files or processes.
  nesl({"apropos", "file"});
  const std::string known = result.output;
  for (std::size_t at = 0; at < known.size(); at = known.find('\n', at) + 1) {
    const std::string name = known.substr(at, known.find(' ', at) - at);
    const bool is_tried =
        std::any_of(calls.begin(), calls.end(), [&](const std::string& call) { return call.starts_with(name + "("); });
    EXPECT_TRUE(is_tried || name == "close_file" || name.starts_with("with_") || name.starts_with("read_") ||
                name.starts_with("write_") || name == "stream" || name == "picture")
        << name;
  }
}

TEST_F(Sandbox, FilesThatAreLoaded) {
  const std::string path = (directory.path() / "secret").string();
  for (const std::string& name : {std::string("secret"), path, std::string("good"), std::string("nothing")}) {
    file("a.nesl", "load \"" + name + "\";\n1;\n");
    all_files = files();
    for (const char* command : {"run", "check", "compile"}) {
      nesl({command, "--sandbox", "a.nesl"});
      expect_refused(command);
    }
    nesl({"--sandbox", "-e", "load \"" + name + "\""});
    expect_refused("-e");
    for (const std::string& line : {"load \"" + name + "\";\n", ":load " + name + "\n"}) {
      nesl({"repl", "--sandbox"}, line);
      expect_refused(line);
    }
    // The message must not depend on whether the file exists.
    const std::string refused = result.errors;
    EXPECT_EQ(refused, "nesl: load of '" + name + "' is refused: the session runs with --sandbox\n");
  }
}

TEST_F(Sandbox, OtherCommandsOfSessions) {
  all_files = files();
  for (const char* line : {"set backend cpu;", ":set backend cpu", "set backend \"../secret\";"}) {
    nesl({"repl", "--sandbox"}, std::string(line) + "\n");
    expect_refused(line);
  }
  for (const char* line : {"dump secret;", "dump new;", "edit secret;", "load;"}) {
    nesl({"repl", "--sandbox"}, std::string(line) + "\n");
    EXPECT_EQ(result.exit_status, 1) << line;
    EXPECT_EQ((result.output + result.errors).find(secret), std::string::npos) << line;
    EXPECT_EQ(files(), all_files);
  }
}

TEST_F(Sandbox, ABackendIsAName) {
  nesl({"-e", "set backend \"../secret\""});
  EXPECT_EQ(result.errors, "nesl: there is no backend '../secret'\n");
}

TEST_F(Sandbox, TheProgramAndItsStreamsRemain) {
  file("a.nesl", "x = print_line(\"out\");\nread_line(stdin);\n");
  result = run_process({NESL_COMMAND, "run", "--sandbox", "a.nesl"}, directory.path(), "in\n", {});
  expect(0, "out\nit = ((\"in\", F), T, \"\") : ([char], bool), bool, [char]\n", "");
}

}  // namespace

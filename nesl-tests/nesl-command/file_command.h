#pragma once

#include "command.h"

/// The nesl command with expressions that read and write files.
struct FileCommand : Command {
  /// The value of an expression, as the reply shows it.
  void expect_value(const std::string& expression, const std::string& value) {
    nesl({"-e", expression});
    EXPECT_EQ(result.errors, "") << expression;
    EXPECT_EQ(result.output.substr(0, result.output.rfind(" : ")), "it = " + value) << expression;
  }
  /// It fails with this message behind "ERROR: ".
  void expect_message(const std::string& expression, const std::string& message) {
    nesl({"-e", expression});
    EXPECT_EQ(result.exit_status, 1) << expression;
    EXPECT_NE(result.errors.find("ERROR: " + message + "\n"), std::string::npos)
        << expression << ": " << result.output << result.errors;
  }
  void expect_round_trip(const std::string& value, const std::string& format) {
    expect_value("let v = " + value + "; ok = write_" + format + "(v, \"f\") in eql(read_" + format + "(v, \"f\"), v)",
                 "T");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1)
        << "a temporary file is left";
  }
};

#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// One way to run a program of the corpus.
struct Variant {
  const char* name;     ///< and name of the file with the result
  const char* program;  ///< name of the program's file
  int float_bits;
  bool is_fused;
};
inline constexpr Variant kVariants[] = {{"O0-f64", "O0.vcode", 64, false},
                                        {"O0-f32", "O0.vcode", 32, false},
                                        {"O2-f64", "O2.fcode", 64, true},
                                        {"O2-f32", "O2.fcode", 32, true}};

/// A program of the corpus: a folder with a program file and a recorded result for each variant, `input` (standard
/// input) and `options` (of vinterp, one a line).
struct RecordedProgram {
  std::filesystem::path folder;
  std::string input;
  std::vector<std::string> options;
};

/// The recorded text of a run: "exit status N", followed by standard output.
std::string result_text(int exit_status, const std::string& output);

/// Runs a variant in its own process, on the vector library `backend`. Returns its result_text().
std::string run_program(const RecordedProgram& program, const Variant& variant, const std::string& vinterp,
                        const std::string& backend);

void write_text(const std::filesystem::path& path, const std::string& text);

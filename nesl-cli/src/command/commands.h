#pragma once

#include <string>
#include <vector>

#include "program/flags.h"
#include "session/top_level.h"

namespace nesl_cli {

// The commands of `nesl`. Each returns the exit status, prints results to standard output and errors to standard error.
// They must be called on a thread made by nesl::run_with_deep_stack().

/// Compiles and runs a NESL program and prints its result: the value of `expression` if that is not empty, else of the
/// last expression of the file. The output of the program precedes the result on standard output. Ends the process
/// (base::end_program) when the program has run.
int run_nesl(const std::string& file, const std::string& expression, const Flags& flags);

/// Compiles a NESL program like run_nesl() and prints how it would run: line by line, which operations are fused.
int explain_nesl(const std::string& file, const std::string& expression, const Flags& flags);

/// Whether a file has a VCODE or FCODE program, by its name.
bool is_vcode_file(const std::string& file);

/// Prints the errors of a program without running it.
int check_nesl(const std::string& file, const Flags& flags);

/// Compiles to VCODE, or to FCODE if the options permit kernels. An `output` of "-" is standard output. With `native`,
/// also compiles the kernels into the folder of compiled kernels.
int compile_nesl(const std::string& file, const std::string& expression, const std::string& output, bool native,
                 const Flags& flags);

/// Runs the statements of a text and prints their replies. Ends the process (base::end_program).
int evaluate_text(const std::string& text, const Flags& flags);

int describe_name(const std::string& name);
int find_names(const std::string& word);

/// Prints the contents of the folder of compiled kernels, and deletes them if `clear`. An error if the folder cannot be
/// used.
int show_kernel_cache(const Flags& flags, bool clear);
/// Compiles the kernels of NESL, VCODE and FCODE programs into the folder of compiled kernels, without running the
/// programs, and prints how many there are.
int fill_kernel_cache(const std::vector<std::string>& files, const Flags& flags);

/// Writes replies to standard output, unbuffered, and errors to standard error. A failure to write standard output is
/// reported once; std::ferror(stdout) is set afterwards.
Output standard_output();

}  // namespace nesl_cli

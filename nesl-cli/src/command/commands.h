#pragma once

#include <string>

#include "program/flags.h"
#include "session/top_level.h"

namespace nesl_cli {

// The commands of `nesl`. Each returns the exit status, prints results to standard output and explains errors on
// standard error. They must be called on a thread made by nesl::run_with_deep_stack().

/// Compiles and runs a NESL program and prints its result: the value of `expression` if that is not empty, else of
/// the last expression of the file. What the program prints appears on standard output before. Ends the process
/// (base::end_program) when the program has run.
int run_nesl(const std::string& file, const std::string& expression, const Flags& flags);

/// Looks for errors without running anything.
int check_nesl(const std::string& file, const Flags& flags);

/// Compiles to VCODE, or to FCODE where the options ask for kernels ("-": standard output).
int compile_nesl(const std::string& file, const std::string& expression, const std::string& output, const Flags& flags);

/// Runs the statements of a text and prints their replies. Ends the process (base::end_program).
int evaluate_text(const std::string& text, const Flags& flags);

int describe_name(const std::string& name);
int find_names(const std::string& word);

/// Says what the folder of compiled kernels has in it, and removes that if `clear`. An error if nothing can be kept
/// there.
int show_kernel_cache(const Flags& flags, bool clear);

/// Replies to standard output, at once, and errors to standard error. That standard output could not be written is
/// explained once; std::ferror(stdout) tells.
Output standard_output();

}  // namespace nesl_cli

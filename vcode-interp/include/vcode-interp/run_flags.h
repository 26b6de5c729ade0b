#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cvl/loader.h"
#include "vcode-interp/run_options.h"

namespace CLI {
class App;
}

namespace interp {

/// How the command line wants programs to be run.
struct RunFlags {
  std::string backend = NESL_DEFAULT_BACKEND;  ///< or "auto": the best that works
  std::string simd;                            ///< see cvl::BackendOptions
  std::string native;                          ///< the same
  std::string kernel_cache;                    ///< the folder, "off", or "" for the user's
  cvl::BackendOptions backend_options;
  RunOptions run;
  double timeout = 0;  ///< seconds; 0: none
  /// --print=shortest or --print=classic, if given: for RunOptions::shortest_floats.
  std::optional<bool> shortest_floats;
  bool profile = false;
  std::string profile_file;   ///< where the Chrome trace goes; empty: only the table
  bool show_time = false;     ///< the time a run took
  bool show_tokens = false;   ///< of VCODE texts
  bool show_program = false;  ///< as VCODE, before it is run
  bool show_link = false;     ///< its functions
  bool emit_llvm = false;     ///< print what kernels are compiled from, in place of a run
  bool emit_cuda = false;     ///< print kernels as text for CUDA, in place of a run
  bool explain = false;       ///< tell how large the machine code of kernels is, in place of a run
  std::string emit_target;    ///< for which of cvl::kNativeTargets; empty: for what runs them here

  std::string trace_words, profile_word;  ///< as written, for the parser of the command line only
};

/// Adds the options that fill `flags`. An impossible value is a CLI::ParseError whose message is complete.
void add_run_flags(CLI::App& app, RunFlags& flags);
/// Adds only --int, the option among them that compilers need, too.
void add_int_option(CLI::App& app, RunFlags& flags);
/// Adds only --kernel-cache.
void add_kernel_cache_option(CLI::App& app, RunFlags& flags);
/// The folder for compiled kernels that the flags name, or else the user's, below XDG_CACHE_HOME or HOME, which a
/// program in the sandbox has no access to. Empty if there is none.
std::string kernel_cache_folder(const RunFlags& flags);
/// The words that say what to trace; `lex` and `link` have an effect on files of VCODE only.
inline constexpr const char* kTraceWords = "lex, program, link, command, stack, values, runtime, heap";
/// Applies one of these words.
void apply_trace_word(const std::string& word, RunFlags& flags);

/// A line for each backend that offers itself: what it is, or that it is not available.
std::string list_backends();
/// Loads the backend. On failure returns null and explains in `error`; `note` may say why it is not the best one.
cvl::BackendPtr load_backend(const RunFlags& flags, std::string& error, std::string& note);

/// A closed standard stream must not be reused for the next file that is opened.
void occupy_standard_descriptors();

/// Reads, checks and runs a VCODE file as the flags say and prints the stack it leaves. Returns the exit status, or
/// ends the process with it (base::end_program). Messages about anything but the program begin with the name of the
/// command.
int run_vcode_file(const std::string& command, const std::string& file, RunFlags& flags);
/// Prints to standard error what a profile and the backend's memory say, and writes the profile's trace if that is
/// wanted. Returns the exit status.
int finish_profile(const std::string& command, const RunFlags& flags, const Profile& profile,
                   const cvl::Backend& backend);

}  // namespace interp

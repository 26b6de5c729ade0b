#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "cvl/loader.h"
#include "vcode-interp/profile_report.h"
#include "vcode-interp/run_failure.h"
#include "vcode-interp/run_options.h"
#include "vcode/program.h"

namespace CLI {
class App;
}

namespace interp {

/// The command-line options about running programs.
struct RunFlags {
  std::string backend = NESL_DEFAULT_BACKEND;  ///< name of a backend; "auto": the best that works
  std::vector<int> devices;                    ///< numbers of the backend's devices; empty: the library chooses one
  std::string simd;                            ///< see cvl::BackendOptions
  std::string native;                          ///< see cvl::BackendOptions
  std::string kernel_cache;                    ///< folder for compiled kernels; "off": none; "": the user's
  cvl::BackendOptions backend_options;
  RunOptions run;
  double timeout = 0;  ///< seconds; 0: none
  /// Value of RunOptions::shortest_floats that --print=shortest or --print=classic demands; empty if neither is given.
  std::optional<bool> shortest_floats;
  bool profile = false;       ///< print the tables of a profile
  std::string profile_page;   ///< file for the profile as a page in HTML; empty: none
  std::string trace_file;     ///< file for a trace of operations and calls; empty: none
  bool show_time = false;     ///< print the duration of the run
  bool show_tokens = false;   ///< print the tokens of VCODE texts
  bool show_program = false;  ///< print the program as VCODE before the run
  bool show_link = false;     ///< print the functions of the linked program
  bool print_plan = false;    ///< print how kernels are traversed; nothing is run
  bool emit_llvm = false;     ///< print the LLVM assembly of kernels; nothing is run
  bool emit_cuda = false;     ///< print kernels as CUDA source text; nothing is run
  bool explain = false;       ///< print the size of the machine code of kernels; nothing is run
  std::string emit_target;    ///< one of cvl::kNativeTargets; empty: the target of this processor

  std::string trace_words, profile_word;  ///< the words as written, read by the command-line parser only
};

/// Adds the options that fill `flags`. An invalid value throws a CLI::ParseError whose message is complete.
void add_run_flags(CLI::App& app, RunFlags& flags);
/// Adds only --int, which compilers need too.
void add_int_option(CLI::App& app, RunFlags& flags);
/// Adds only --kernel-cache.
void add_kernel_cache_option(CLI::App& app, RunFlags& flags);
/// Adds only the options on which the machine code of kernels depends, and where it is kept.
void add_machine_code_options(CLI::App& app, RunFlags& flags);
/// Adds only --native, which chooses when kernels are compiled.
void add_native_option(CLI::App& app, RunFlags& flags);
/// Adds only the options that limit a run: its memory, its time and the files that it may open.
void add_limit_options(CLI::App& app, RunFlags& flags);
/// The folder for compiled kernels: the folder of the flags, or the user's below XDG_CACHE_HOME or HOME. Programs in
/// the sandbox cannot access that folder. Empty if there is no such folder.
std::string kernel_cache_folder(const RunFlags& flags);
/// The words of `-d`, each a kind of trace; `lex` and `link` have an effect on VCODE files only.
inline constexpr const char* kTraceWords = "lex, program, link, command, stack, values, runtime, heap";
/// Sets the flags of one of the words of kTraceWords.
void apply_trace_word(const std::string& word, RunFlags& flags);

/// One line for each installed backend: its description, or the reason why it is not available.
std::string list_backends();
/// Loads the backend of the flags, in a job around all ranks. Null on failure, with the reason in `error`. For "auto",
/// see cvl::load_best_backend() about `note`; else `note` remains as it is. Of several devices the backend is that of
/// the first; the others are set in the flags.
cvl::BackendPtr load_backend(RunFlags& flags, std::string& error, std::string& note);
/// Loads the backends of flags.devices, which are not empty, with these options, as load_backend() does.
cvl::BackendPtr load_devices(RunFlags& flags, const std::vector<std::string>& directories,
                             const cvl::BackendOptions& options, std::string& error);
/// Reads numbers of devices that differ, separated by commas. False, with a sentence in `error`, for any other text.
bool read_devices(const std::string& text, std::vector<int>& devices, std::string& error);

/// Opens /dev/null for each closed standard stream, in the mode in which every access fails: otherwise the next file
/// that is opened would become the standard stream.
void occupy_standard_descriptors();

/// A VCODE or FCODE program and its text.
struct VcodeFile {
  base::Source source;
  vcode::Program program;
};
/// Reads and validates a file ("-": standard input). Nothing, with messages on standard error, after errors. Messages
/// that are not about the program begin with `command`.
std::optional<VcodeFile> read_vcode_file(const std::string& command, const std::string& file, const RunFlags& flags);
/// Reads, validates and runs a VCODE file and prints the stack that it leaves. Returns the exit status, or ends the
/// process with that status (base::end_program). Messages that are not about the program begin with `command`.
int run_vcode_file(const std::string& command, const std::string& file, RunFlags& flags);
/// Looks before a run whether the files of its profile can be written, as far as that is seen. Empty if so; else a
/// message. Also empty in a job, whose ranks may be on machines with other folders.
std::string unwritable_profile(const RunFlags& flags);
/// Makes the profile that the flags demand, and lets runs with these flags fill it; null if they demand none.
std::unique_ptr<Profile> start_profile(RunFlags& flags);
/// Facts for reports of a profile: the bandwidth, which is measured if the profile has enough bytes to be compared with
/// it, and the source lines of the options.
ProfileContext profile_context(const Profile& profile, cvl::Backend& backend, const RunOptions& options);
/// Prints a profile and the memory use of the backend to standard error, and writes the page and the trace, of a job
/// those of rank 0, as the flags demand. `failure`: that of the run, if any. Returns the exit status. Collective, but
/// after a failure that other ranks need not have.
int finish_profile(const std::string& command, const RunFlags& flags, const Profile& profile, cvl::Backend& backend,
                   const RunFailure& failure);

}  // namespace interp

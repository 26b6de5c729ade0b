#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cvl/backend.h"
#include "vcode/program.h"

namespace interp {

class Profile;

/// What `-d stack`, `-d values` and so on print to standard error while a program runs.
struct TraceOptions {
  bool commands = false;  ///< each instruction before it runs
  bool stack = false;     ///< length and type of every value, before each instruction
  bool values = false;    ///< the values too
  bool calls = false;     ///< calls and returns
  bool memory = false;    ///< bytes live and held, before each instruction

  bool any() const { return commands || stack || values || calls || memory; }
};

struct RunOptions {
  vcode::Widths widths;
  std::uint64_t seed = 0;
  bool strict = false;  ///< IF demands a Bool of length 1
  bool allow_spawn = false;
  bool sandbox = false;                           ///< refuse FOPEN and SPAWN
  std::uint64_t call_limit = 0;                   ///< stop after this many calls; 0: no limit
  std::array<int, 3> standard_files = {0, 1, 2};  ///< descriptors of input, output, errors
  TraceOptions trace;
  Profile* profile = nullptr;  ///< filled if not null
};

/// Runs a program that the validator has accepted and prints the stack it leaves. Returns the exit status:
/// 0, or 1 after a failure (130 after an interrupt), which is explained on standard error with its place,
/// the call chain and the stack.
int run_program(const vcode::Source& source, const vcode::Program& program, cvl::Backend& backend,
                const RunOptions& options);

}  // namespace interp

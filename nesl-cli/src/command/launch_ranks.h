#pragma once

namespace nesl_cli {

/// Runs this command again as a job of so many processes, by mpiexec, and waits for it. `argv` is the command line; its
/// option --ranks is left out. Returns the exit status of mpiexec, or 130 after Ctrl-C, or 1 after a message if there
/// is no mpiexec.
int launch_ranks(int ranks, int argc, char** argv);

}  // namespace nesl_cli

#pragma once

#include <functional>

namespace base {

/// The main function of each program of the project. `work` is the whole program, the command line included, and
/// returns the exit status. If memory runs out or standard output cannot be written, the status is 1, with a message
/// that begins with the program's name. Memory may run out at any moment from the program's start to its end. An
/// interrupt (Ctrl-C) ends the program at once with status 130.
int program_main(const std::function<int()>& work);

}  // namespace base

#pragma once

#include <functional>

namespace base {

/// The main function of each program of the project: `work` does all of it, the command line included, and returns the
/// exit status. It is 1, with a message that begins with the program's name, if memory runs out or standard output
/// could not be written, whatever `work` returns. Memory may run out at any moment from the program's start to its end.
/// An interrupt (Ctrl-C) ends the program at once with status 130.
int program_main(const std::function<int()>& work);

}  // namespace base

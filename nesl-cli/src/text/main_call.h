#pragma once

#include <string>
#include <vector>

#include "nesl-compiler/session.h"

namespace nesl_cli {

/// A call of the function main with the arguments of the command line. The call reads the arguments from `args` when it
/// runs, so that the compiled program does not depend on them.
struct MainCall {
  std::string expression;  ///< the call in NESL
  std::string error;       ///< message for an argument that does not fit its parameter; `expression` is then empty
};

/// Makes the call for arguments that check_arguments() has found to fit when the program runs. Parameters may be int,
/// float, bool (t or f), char and [char]; or there is one parameter of type [[char]], which gets all arguments.
MainCall main_call(const std::vector<nesl::Parameter>& parameters);
/// An error message if the arguments do not fit the parameters, of types that main_call() accepts; otherwise empty.
std::string check_arguments(const std::vector<nesl::Parameter>& parameters, const std::vector<std::string>& arguments,
                            bool wide_ints);

/// Makes the call for unknown arguments: the program checks them when it runs.
MainCall checking_main_call(const std::vector<nesl::Parameter>& parameters);

/// The parameters of main for a usage message: " N:int NAME:[char]".
std::string usage_of_main(const std::vector<nesl::Parameter>& parameters);

}  // namespace nesl_cli

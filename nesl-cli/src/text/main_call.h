#pragma once

#include <string>
#include <vector>

#include "nesl-compiler/session.h"

namespace nesl_cli {

/// A call of the function main with the arguments of the command line, which it finds in `args` when it runs: the
/// program is the same whatever they are.
struct MainCall {
  std::string expression;  ///< of NESL
  std::string error;       ///< which parameter an argument does not fit; then there is no expression
};

/// Parameters may be int, float, bool (t or f), char and [char], or one of type [[char]], which takes all arguments.
MainCall main_call(const std::vector<nesl::Parameter>& parameters, const std::vector<std::string>& arguments,
                   bool wide_ints);

/// The same for arguments that are not known yet: the call checks them itself when it runs.
MainCall checking_main_call(const std::vector<nesl::Parameter>& parameters);

/// " N:int NAME:[char]"
std::string usage_of_main(const std::vector<nesl::Parameter>& parameters);

}  // namespace nesl_cli

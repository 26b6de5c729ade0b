#pragma once

#include <string>

namespace fcode_opt {

/// What is wrong with a text that print_vcode() has written, for vinterp or because it is read as another program than
/// was printed; empty if nothing is.
std::string check_output(const std::string& text);

}  // namespace fcode_opt

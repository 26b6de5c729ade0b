#pragma once

#include <string>

namespace fcode_opt {

/// Why vinterp would refuse a text that print_vcode() has written, or would read it as another program; empty if
/// neither is the case.
std::string check_output(const std::string& text);

}  // namespace fcode_opt

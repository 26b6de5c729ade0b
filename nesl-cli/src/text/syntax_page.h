#pragma once

#include <string_view>

namespace nesl_cli {

/// The language on one page, of at most 60 lines and 100 columns: a NESL program whose comments `% = VALUE %` say what
/// the statements in front of them reply.
std::string_view syntax_page();

}  // namespace nesl_cli

#pragma once

#include <string>

namespace nesl_cli {

/// `nesl lsp`: serves an editor by standard input and standard output, with the Language Server Protocol. With
/// `wide_ints`, programs may have literals of 64 bits. `version` is that of this command. Returns the exit status. Must
/// be called on a thread made by nesl::run_with_deep_stack().
int serve_editor(bool wide_ints, const std::string& version);

}  // namespace nesl_cli

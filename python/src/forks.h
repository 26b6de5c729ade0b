#pragma once

namespace nesl_python {

/// Number of forks between the process that loaded the module and this process. A session of an earlier process has no
/// threads here, and its locks may be held for ever: its handles are neither used nor freed.
unsigned fork_count();

/// Must be called once, when the module is loaded.
void watch_forks();

}  // namespace nesl_python

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "program/flags.h"
#include "show/recorder.h"
#include "show/showing.h"

namespace nesl_cli {

/// The command line of `nesl show`.
struct ShowFlags {
  std::string what;        ///< an expression, or a file with a program
  std::string expression;  ///< shown instead of the file's last expression, if not empty
  std::string html;        ///< file for the page; "-" is standard output; empty: none
  bool text = false;       ///< print the text besides the page
  ShowLimits limits;
};

/// Whether texts on standard output have colours: on a terminal, unless NO_COLOR is set.
bool has_colours();

/// Writes the steps as the flags say: the page to its file, the text by `say`. An error message on failure, else empty.
std::string deliver(const Showing& showing, const ShowFlags& flags, bool colours,
                    const std::function<void(std::string_view)>& say);

/// `nesl show`: runs a program and shows how its result comes about. Returns the exit status.
int show_nesl(const ShowFlags& flags, const Flags& run_flags);

}  // namespace nesl_cli

#include "watched_program.h"

#include <utility>

#include "program/executable.h"

namespace nesl_cli {

std::vector<FusedLoop> find_loops(nesl::Session& session,
                                  const std::function<std::optional<nesl::Compiled>()>& compile) {
  const fcode_opt::OptimizeOptions fuse = {.level = 2};
  session.set_pipeline(fuse);
  session.set_watch(nesl::Watch::kPlaces);
  std::optional<nesl::Compiled> compiled = compile();
  session.set_watch(nesl::Watch::kNothing);
  if (!compiled) return {};
  return fused_loops(executable(std::move(compiled->program), fuse), compiled->places);
}

std::optional<nesl::Compiled> compile_watched(nesl::Session& session,
                                              const std::function<std::optional<nesl::Compiled>()>& compile) {
  session.set_pipeline(kShowOptions);
  session.set_watch(nesl::Watch::kValues);
  std::optional<nesl::Compiled> compiled = compile();
  session.set_watch(nesl::Watch::kNothing);
  return compiled;
}

}  // namespace nesl_cli

#include "watched_statement.h"

#include <utility>

#include "program/executable.h"

namespace nesl_cli {

std::optional<nesl::Compiled> WatchedStatement::compile(const fcode_opt::OptimizeOptions& options,
                                                        nesl::Watch watch) const {
  // Compiling may be stopped by an exception.
  struct Restore {
    const WatchedStatement& statement;
    ~Restore() {
      statement.session_.set_watch(nesl::Watch::kNothing);
      statement.session_.set_pipeline(statement.usual_);
    }
  } restore{*this};
  session_.set_pipeline(options);
  session_.set_watch(watch);
  return compile_();
}

std::optional<nesl::Compiled> WatchedStatement::watched() const { return compile(kShowOptions, nesl::Watch::kValues); }

std::vector<FusedLoop> WatchedStatement::loops() const {
  const fcode_opt::OptimizeOptions fuse = {.level = 2};
  std::optional<nesl::Compiled> compiled = compile(fuse, nesl::Watch::kPlaces);
  if (!compiled) return {};
  return fused_loops(executable(std::move(compiled->program), fuse), compiled->places);
}

}  // namespace nesl_cli

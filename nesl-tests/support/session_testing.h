#pragma once

#include <optional>

#include "nesl-compiler/session.h"

namespace nesl {

/// Reads a text and commits its statements. The last statement with a value, if there is one.
inline std::optional<Unit> read_all(Session& session, const base::Source& source, base::Diagnostics& diagnostics) {
  std::optional<Unit> last;
  session.read(source, diagnostics, [&](Unit& unit) {
    if (unit.kind != Unit::Kind::kValue) return true;
    session.commit(unit);
    last = unit;
    return true;
  });
  return last;
}

}  // namespace nesl

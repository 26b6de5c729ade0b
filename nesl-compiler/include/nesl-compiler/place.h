#pragma once

#include "base/diagnostics.h"

namespace nesl {

/// A part of a text, as an expression or a name. The text is compared by its address.
struct Place {
  const base::Source* source = nullptr;
  base::Span span = {};
  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace nesl

#include "cvl/compose.h"

#include "base/check.h"

namespace cvl {

void compose(Backend& backend, const Latest& latest) {
  const Operand written{latest.room.type, latest.room.length, latest.room.data};
  backend.run(Scatter{latest.source, latest.indices, {}, written, latest.from, latest.to, latest.room});
  backend.run(Gather{written, latest.indices, {}, latest.to, latest.from, latest.result});
}

void compose(Backend&, const MakeSegmentHeads&) { VC_CHECK(!"a backend that wants segment heads"); }

}  // namespace cvl

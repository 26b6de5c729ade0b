#include "choose.h"

namespace fcode_opt {

Partition with_copies(Partition partition) {
  // In order, so that what a copy needs may be a copy.
  for (std::uint32_t n = 0; n < partition.region().size(); ++n) partition.copy_to_readers(n);
  return partition;
}

}  // namespace fcode_opt

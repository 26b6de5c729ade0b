#pragma once

#include <memory>

#include "messages/messenger.h"
#include "staging/staged_backend.h"

namespace cvl::mpi {

/// Messages from and to the memory of a rank with a device: what the device has computed comes to the host before it is
/// sent. MPI libraries need not know devices. `memory` outlives the result.
std::unique_ptr<Messenger> make_staged_messenger(std::unique_ptr<Messenger> messenger, StagedBackend& memory);

}  // namespace cvl::mpi

#include "job/await_reader.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <thread>

namespace cvl::mpi {

namespace {

/// Bytes that were written and have not been read.
int unread_bytes(int descriptor) {
  struct stat file = {};
  int bytes = 0;
  if (fstat(descriptor, &file) != 0) return 0;
  // Both ends of a pipe tell its bytes; of a socket, those that were received are others.
  const unsigned long request = S_ISFIFO(file.st_mode) ? FIONREAD : S_ISSOCK(file.st_mode) ? SIOCOUTQ : 0;
  return request != 0 && ioctl(descriptor, request, &bytes) == 0 ? bytes : 0;
}

}  // namespace

void await_reader(int descriptor, std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (unread_bytes(descriptor) > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace cvl::mpi

/// native-kernels-fill LIBRARY FOLDER: compiles kernels into a cache after the process that ran them has ended, so that
/// the next run of the same program finds them. Standard input holds keys of the cache (see NativeCompiler::cache_key),
/// each after its length in 8 bytes. Runs in a session of its own, at a low priority; its caller need not wait. Writes
/// nothing but the cache.

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cvl/object_cache.h"
#include "llvm/native_code.h"

namespace {

/// Most seconds of processor time. A kernel takes some hundredths of one.
constexpr rlim_t kMostSeconds = 60;

bool read_all(void* to, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = read(STDIN_FILENO, static_cast<char*>(to) + done, bytes - done);
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::vector<std::string> read_keys() {
  std::vector<std::string> keys;
  for (std::uint64_t length = 0; read_all(&length, sizeof length);) {
    std::string key(length, '\0');
    if (!read_all(key.data(), key.size())) break;
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::vector<std::string> keys = read_keys();
  if (fork() != 0) return 0;
  setsid();
  setpriority(PRIO_PROCESS, 0, 10);
  const rlimit limit = {kMostSeconds, kMostSeconds};
  setrlimit(RLIMIT_CPU, &limit);
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 1;
  auto* const compile = reinterpret_cast<cvl::cpu::CompileFn*>(dlsym(library, "native_kernels_compile"));
  if (compile == nullptr) return 1;
  const cvl::ObjectCache cache(argv[2]);
  for (const std::string& key : keys) {
    if (cache.find(key)) continue;
    std::string error;
    const std::string object = compile(key.substr(key.find('\n') + 1), error);
    if (!object.empty()) cache.keep(key, object);
  }
  return 0;
}

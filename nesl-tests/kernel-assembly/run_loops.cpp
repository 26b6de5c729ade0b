// Calls compiled loops on the data of an image: run_loops IMAGE RESULT. Reads the file IMAGE, calls its loops, and
// writes the image as it is then to the file RESULT. Linked with object files for one kind of machine and the table
// `loops`.

#include <sys/mman.h>

#include <cstdio>
#include <cstring>

#include "isa/isa.h"
#include "loop_image.h"

extern bool (*const loops[])(const void* arguments, long first, long last);

/// The address of a mathematical function of registers, for loops that call it by vector_function_name().
const void* function_of_registers(const char* name, bool rounded) {
  static const cvl::cpu::Kernels kernels = [] {
    cvl::cpu::Kernels filled;
    cvl::cpu::CVL_ISA::add_functions(filled);
    return filled;
  }();
  for (const auto& entry : kernels.function.entries)
    if (entry.name != nullptr && std::strcmp(entry.name, name) == 0 && entry.rounded == rounded) return entry.address;
  std::fprintf(stderr, "there is no function %s\n", name);
  std::abort();
}

int main(int argc, char** argv) {
  using cvl::conformance::ImageHead;
  if (argc != 3) return 2;
  std::FILE* const from = std::fopen(argv[1], "rb");
  std::uint64_t bytes = 0;
  if (from == nullptr || std::fread(&bytes, sizeof bytes, 1, from) != 1) return 3;
  void* const image = mmap(reinterpret_cast<void*>(cvl::conformance::kImageAddress), bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  std::rewind(from);
  if (image == MAP_FAILED || std::fread(image, bytes, 1, from) != 1) return 4;
  std::fclose(from);
  auto* const head = static_cast<ImageHead*>(image);
  for (std::int64_t k = 0; k < head->calls; ++k) {
    auto& call = head->call[k];
    call.is_at_fault = loops[k](call.arguments, call.first, call.last) ? 1 : 0;
  }
  std::FILE* const to = std::fopen(argv[2], "wb");
  return to != nullptr && std::fwrite(image, bytes, 1, to) == 1 && std::fclose(to) == 0 ? 0 : 5;
}

#pragma once

#include <cstdint>
#include <string>

// GDB's list of the object files that a process has loaded by itself; names and layout are GDB's ("JIT Compilation
// Interface" in its manual).
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};
struct jit_descriptor {
  std::uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};
[[gnu::visibility("default")]] extern jit_descriptor __jit_debug_descriptor;
}

namespace cvl::cpu {

/// Keeps GDB informed of an object file, as long as this lives.
class GdbRegistration {
 public:
  /// `object`: an ELF file whose sections have their addresses in memory.
  explicit GdbRegistration(std::string object);
  ~GdbRegistration();
  GdbRegistration(const GdbRegistration&) = delete;
  GdbRegistration& operator=(const GdbRegistration&) = delete;

 private:
  const std::string object_;
  jit_code_entry entry_;
};

}  // namespace cvl::cpu

#include "llvm/gdb_registration.h"

#include <mutex>
#include <utility>

extern "C" {
/// GDB stops the process here, to read the list.
[[gnu::noinline, gnu::visibility("default")]] void __jit_debug_register_code();
void __jit_debug_register_code() { asm volatile("" ::: "memory"); }

jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
}

namespace cvl::cpu {
namespace {

enum Action : std::uint32_t { kRegister = 1, kUnregister = 2 };

std::mutex list_mutex;

void tell(Action action, jit_code_entry& entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_register_code();
}

}  // namespace

GdbRegistration::GdbRegistration(std::string object) : object_(std::move(object)) {
  const std::lock_guard lock(list_mutex);
  entry_ = {__jit_debug_descriptor.first_entry, nullptr, object_.data(), object_.size()};
  if (entry_.next_entry != nullptr) entry_.next_entry->prev_entry = &entry_;
  __jit_debug_descriptor.first_entry = &entry_;
  tell(kRegister, entry_);
}

GdbRegistration::~GdbRegistration() {
  const std::lock_guard lock(list_mutex);
  if (entry_.next_entry != nullptr) entry_.next_entry->prev_entry = entry_.prev_entry;
  (entry_.prev_entry != nullptr ? entry_.prev_entry->next_entry : __jit_debug_descriptor.first_entry) =
      entry_.next_entry;
  tell(kUnregister, entry_);
}

}  // namespace cvl::cpu

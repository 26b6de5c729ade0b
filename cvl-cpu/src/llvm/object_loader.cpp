/// Machine code from object files that LLVM made, in this process or an earlier one: relocated by LLVM's RuntimeDyld,
/// in a small library of its own, so that a process whose kernels are all in the cache opens no more of LLVM.

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <llvm/ExecutionEngine/RTDyldMemoryManager.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Object/SymbolSize.h>

#include "llvm/gdb_registration.h"
#include "llvm/native_code.h"

namespace cvl::cpu {
namespace {

/// Memory of an object's sections, and the resolver of the names that it does not define. All sections are in one
/// mapping, since code refers to constants by distances of 32 bits.
class ObjectMemory final : public llvm::RTDyldMemoryManager {
 public:
  explicit ObjectMemory(const std::vector<VectorFunction>& functions) : functions_(functions) {}
  ~ObjectMemory() override {
    if (begin_ != nullptr) munmap(begin_, bytes_);
  }

  bool needsToReserveAllocationSpace() override { return true; }
  void reserveAllocationSpace(std::uintptr_t code, llvm::Align, std::uintptr_t constants, llvm::Align,
                              std::uintptr_t data, llvm::Align) override {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto pages = [&](std::size_t bytes) { return (bytes + page - 1) / page * page; };
    code_.bytes = pages(code);
    constants_.bytes = pages(constants);
    data_.bytes = pages(data) + page;  // LLVM does not count the table of addresses (GOT) that it adds
    bytes_ = code_.bytes + constants_.bytes + data_.bytes;
    void* const block = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return;  // allocations then fail
    begin_ = code_.begin = static_cast<std::uint8_t*>(block);
    constants_.begin = code_.begin + code_.bytes;
    data_.begin = constants_.begin + constants_.bytes;
  }
  std::uint8_t* allocateCodeSection(std::uintptr_t bytes, unsigned alignment, unsigned, llvm::StringRef) override {
    return code_.allocate(bytes, alignment);
  }
  std::uint8_t* allocateDataSection(std::uintptr_t bytes, unsigned alignment, unsigned, llvm::StringRef,
                                    bool is_constant) override {
    return (is_constant ? constants_ : data_).allocate(bytes, alignment);
  }
  /// True on failure.
  bool finalizeMemory(std::string* error) override {
    __builtin___clear_cache(reinterpret_cast<char*>(code_.begin), reinterpret_cast<char*>(code_.begin + code_.bytes));
    const auto protect = [&](const Part& part, int access) {
      return part.bytes == 0 || mprotect(part.begin, part.bytes, access) == 0;
    };
    if (protect(code_, PROT_READ | PROT_EXEC) && protect(constants_, PROT_READ)) return false;
    *error = "memory cannot be made executable";
    return true;
  }
  std::uint64_t getSymbolAddress(const std::string& name) override {
    for (const VectorFunction& function : functions_)
      if (function.name == name) return reinterpret_cast<std::uint64_t>(function.address);
    return reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, name.c_str()));
  }

 private:
  struct Part {
    std::uint8_t* begin = nullptr;
    std::size_t bytes = 0, used = 0;
    std::uint8_t* allocate(std::size_t size, std::size_t alignment) {
      used = (used + alignment - 1) / alignment * alignment;
      if (begin == nullptr || size > bytes - std::min(bytes, used)) return nullptr;
      return begin + std::exchange(used, used + size);
    }
  };
  const std::vector<VectorFunction>& functions_;
  std::uint8_t* begin_ = nullptr;
  std::size_t bytes_ = 0;
  Part code_, constants_, data_;
};

template <class T>
T value_of(llvm::Expected<T> expected) {
  if (!expected) throw std::runtime_error(llvm::toString(expected.takeError()));
  return std::move(*expected);
}

class LoadedObject final : public NativeCode {
 public:
  LoadedObject(const std::string& bytes, bool for_debuggers, const std::vector<VectorFunction>& functions)
      : memory_(functions) {
    const auto object = value_of(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel")));
    llvm::RuntimeDyld linker(memory_, memory_);
    const auto info = linker.loadObject(*object);
    if (info != nullptr && !linker.hasError()) linker.resolveRelocations();
    if (info == nullptr || linker.hasError()) throw std::runtime_error(linker.getErrorString().str());
    if (for_debuggers) linker.registerEHFrames();
    std::string error;
    if (memory_.finalizeMemory(&error)) throw std::runtime_error(error);
    for (const auto& [symbol, size] : llvm::object::computeSymbolSizes(*object)) {
      if (value_of(symbol.getType()) != llvm::object::SymbolRef::ST_Function) continue;
      const llvm::StringRef name = value_of(symbol.getName());
      symbols_.push_back({name.str(), static_cast<std::uintptr_t>(linker.getSymbol(name).getAddress()),
                          static_cast<std::int64_t>(size)});
    }
    if (!for_debuggers) return;
    const auto shown = info->getObjectForDebug(*object);
    if (shown.getBinary() != nullptr) registration_.emplace(shown.getBinary()->getData().str());
  }
  ~LoadedObject() override { memory_.deregisterEHFrames(); }
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  std::int64_t bytes() const override {
    std::int64_t sum = 0;
    for (const NativeSymbol& symbol : symbols_) sum += symbol.bytes;
    return sum;
  }
  std::vector<NativeSymbol> symbols() const override { return symbols_; }
  LoopFunction* function(const std::string& name) const override {
    for (const NativeSymbol& symbol : symbols_)
      if (symbol.name == name) return reinterpret_cast<LoopFunction*>(symbol.address);
    throw std::runtime_error("there is no function " + name);
  }

 private:
  ObjectMemory memory_;
  std::vector<NativeSymbol> symbols_;
  std::optional<GdbRegistration> registration_;
};

}  // namespace
}  // namespace cvl::cpu

extern "C" __attribute__((visibility("default"))) cvl::cpu::NativeCode* native_kernels_load(
    const std::string& object, bool for_debuggers, const std::vector<cvl::cpu::VectorFunction>& functions,
    std::string& error) {
  try {
    return new cvl::cpu::LoadedObject(object, for_debuggers, functions);
  } catch (const std::exception& failure) {
    error = failure.what();
    return nullptr;
  }
}

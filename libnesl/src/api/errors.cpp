// The error objects of nesl.h.

#include <new>
#include <stdexcept>

#include "base/stop_request.h"
#include "handles.h"

namespace nesl_c {

namespace {

HandleTable<const Failure>& errors() {
  static auto& table = *new HandleTable<const Failure>;
  return table;
}

/// The error for the case that there is no memory for an error object. It is never freed.
const Failure kOutOfMemory{NESL_ERROR_RESOURCE, "out of memory", "out of memory\n"};
const char kOutOfMemoryHandle = 0;

nesl_error* make_error(Failure failure) noexcept {
  try {
    for (std::string* text : {&failure.message, &failure.report, &failure.file})
      *text = Texts::without_marks(std::move(*text));
    return reinterpret_cast<nesl_error*>(errors().add(std::make_shared<const Failure>(std::move(failure))));
  } catch (const std::bad_alloc&) {
    return reinterpret_cast<nesl_error*>(const_cast<char*>(&kOutOfMemoryHandle));
  }
}

nesl_error* make_error(nesl_error_class kind, const char* message) noexcept {
  try {
    return make_error(Failed(kind, message).failure());
  } catch (const std::bad_alloc&) {
    return reinterpret_cast<nesl_error*>(const_cast<char*>(&kOutOfMemoryHandle));
  }
}

/// The failure of an error handle; null for no error. Valid until the handle is freed.
const Failure* failure_behind(const nesl_error* error) {
  if (error == nullptr) return nullptr;
  if (reinterpret_cast<const char*>(error) == &kOutOfMemoryHandle) return &kOutOfMemory;
  return errors().find(error).get();
}

}  // namespace

nesl_error* guarded_call(void (*work)(void*), void* argument) noexcept {
  try {
    work(argument);
    return nullptr;
  } catch (const Failed& failed) {
    return make_error(failed.failure());
  } catch (const std::bad_alloc&) {
    return reinterpret_cast<nesl_error*>(const_cast<char*>(&kOutOfMemoryHandle));
  } catch (const base::Stopped&) {
    return make_error(NESL_ERROR_CANCELLED, "cancelled");
  } catch (const std::logic_error& error) {
    return make_error(NESL_ERROR_INTERNAL, error.what());
  } catch (const std::exception& error) {
    return make_error(NESL_ERROR_RESOURCE, error.what());  // of the system, or of a device
  } catch (...) {
    return make_error(NESL_ERROR_INTERNAL, "unknown failure");
  }
}

}  // namespace nesl_c

using nesl_c::Failure;

extern "C" {

const char* nesl_version(void) { return NESL_VERSION; }

nesl_error_class nesl_error_kind(const nesl_error* error) {
  const Failure* failure = nesl_c::failure_behind(error);
  return failure != nullptr ? failure->kind : NESL_NO_ERROR;
}

const char* nesl_error_message(const nesl_error* error) {
  const Failure* failure = nesl_c::failure_behind(error);
  return failure != nullptr ? failure->message.c_str() : "";
}

const char* nesl_error_report(const nesl_error* error) {
  const Failure* failure = nesl_c::failure_behind(error);
  return failure != nullptr ? failure->report.c_str() : "";
}

const char* nesl_error_file(const nesl_error* error) {
  const Failure* failure = nesl_c::failure_behind(error);
  return failure != nullptr ? failure->file.c_str() : "";
}

const char* nesl_error_function(const nesl_error* error) {
  const Failure* failure = nesl_c::failure_behind(error);
  return failure != nullptr ? failure->function.c_str() : "";
}

int nesl_error_line(const nesl_error* error) {
  const Failure* failure = nesl_c::failure_behind(error);
  return failure != nullptr ? static_cast<int>(failure->line) : 0;
}

int nesl_error_column(const nesl_error* error) {
  const Failure* failure = nesl_c::failure_behind(error);
  return failure != nullptr ? static_cast<int>(failure->column) : 0;
}

size_t nesl_error_path(const nesl_error* error, const int64_t** positions, int* complete) {
  const Failure* failure = nesl_c::failure_behind(error);
  if (positions != nullptr) *positions = failure != nullptr ? failure->path.data() : nullptr;
  if (complete != nullptr) *complete = failure != nullptr && failure->path_complete ? 1 : 0;
  return failure != nullptr ? failure->path.size() : 0;
}

void nesl_error_free(nesl_error* error) { nesl_c::errors().take(error); }

}  // extern "C"

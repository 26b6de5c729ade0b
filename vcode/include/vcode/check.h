#pragma once

/// VC_CHECK(condition): what can only be false if this project's own code is wrong, such as a demand in a comment that
/// a caller has not met. On in every build but Release (which defines NDEBUG): there the condition is not even
/// evaluated. Whatever a program, its data or the machine can bring about is no matter for VC_CHECK but an error with a
/// message.
#if defined(NDEBUG)
#define VC_CHECK(...) static_cast<void>(sizeof(!(__VA_ARGS__)))
#else
#define VC_CHECK(...) ((__VA_ARGS__) ? static_cast<void>(0) : vcode::check_failed(__FILE__, __LINE__, #__VA_ARGS__))
#endif

namespace vcode {

/// Prints the place and the condition to standard error and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition) noexcept;

}  // namespace vcode

#pragma once

/// Atomic operations on memory that the threads of a kernel share. All are relaxed, except those of Lock. On a device
/// they compile to its atomic instructions. On the host they are atomic too, because the host executor may use several
/// threads.

#include <cstdint>

#include "vcode/arith.h"

#if !defined(__CUDA_ARCH__)
#include <sched.h>

#include <atomic>
#endif

namespace cvl::cuda {

template <class T>
VC_HD T load_relaxed(const T* at) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile T*>(at);
#else
  return std::atomic_ref<T>(*const_cast<T*>(at)).load(std::memory_order_relaxed);
#endif
}
template <class T>
VC_HD void store_relaxed(T* at, T value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile T*>(at) = value;
#else
  std::atomic_ref<T>(*at).store(value, std::memory_order_relaxed);
#endif
}
/// Stores to an address to which other threads store at the same time; one of the values remains. On a device this is a
/// plain store, which the hardware may coalesce and combine with others.
template <class T>
VC_HD void store_racing(T* at, T value) {
#if defined(__CUDA_ARCH__)
  *at = value;
#else
  store_relaxed(at, value);
#endif
}

// Read-modify-write operations. Each returns the old value.

#if !defined(__CUDA_ARCH__)
namespace on_host {
template <class W, class F>
W update(W* at, F f) {
  std::atomic_ref<W> word(*at);
  W old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, f(old), std::memory_order_relaxed)) {
  }
  return old;
}
}  // namespace on_host
#else
__device__ inline std::int32_t* native(std::int32_t* at) { return at; }
__device__ inline std::uint32_t* native(std::uint32_t* at) { return at; }
__device__ inline long long* native(std::int64_t* at) { return reinterpret_cast<long long*>(at); }
__device__ inline unsigned long long* native(std::uint64_t* at) { return reinterpret_cast<unsigned long long*>(at); }
#endif

template <class W>
VC_HD W atomic_max(W* at, W value) {
#if defined(__CUDA_ARCH__)
  return atomicMax(native(at), value);
#else
  return on_host::update(at, [=](W old) { return old < value ? value : old; });
#endif
}
template <class W>
VC_HD W atomic_min(W* at, W value) {
#if defined(__CUDA_ARCH__)
  return atomicMin(native(at), value);
#else
  return on_host::update(at, [=](W old) { return value < old ? value : old; });
#endif
}
template <class W>
VC_HD W atomic_add(W* at, W value) {
#if defined(__CUDA_ARCH__)
  return static_cast<W>(atomicAdd(native(at), value));
#else
  return std::atomic_ref(*at).fetch_add(value, std::memory_order_relaxed);
#endif
}
template <class W>
VC_HD W atomic_and(W* at, W value) {
#if defined(__CUDA_ARCH__)
  return static_cast<W>(atomicAnd(native(at), value));
#else
  return std::atomic_ref(*at).fetch_and(value, std::memory_order_relaxed);
#endif
}
template <class W>
VC_HD W atomic_xor(W* at, W value) {
#if defined(__CUDA_ARCH__)
  return static_cast<W>(atomicXor(native(at), value));
#else
  return std::atomic_ref(*at).fetch_xor(value, std::memory_order_relaxed);
#endif
}
template <class W>
VC_HD W atomic_or(W* at, W value) {
#if defined(__CUDA_ARCH__)
  return static_cast<W>(atomicOr(native(at), value));
#else
  return std::atomic_ref(*at).fetch_or(value, std::memory_order_relaxed);
#endif
}
/// Stores `value` if the old value is `expected`.
template <class W>
VC_HD W atomic_cas(W* at, W expected, W value) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(native(at), expected, value);
#else
  std::atomic_ref(*at).compare_exchange_strong(expected, value, std::memory_order_relaxed);
  return expected;
#endif
}

/// A lock in a word that is 0 while nobody holds the lock. Writes of one holder are visible to the next.
struct Lock {
  std::uint32_t* word;

  VC_HD bool try_acquire() const {
#if defined(__CUDA_ARCH__)
    if (atomicExch(word, 1u) != 0) return false;
    __threadfence();
    return true;
#else
    return std::atomic_ref(*word).exchange(1, std::memory_order_acquire) == 0;
#endif
  }
  VC_HD void release() const {
#if defined(__CUDA_ARCH__)
    __threadfence();
    atomicExch(word, 0u);
#else
    std::atomic_ref(*word).store(0, std::memory_order_release);
#endif
  }
  /// Waits a short time for another holder to release the lock.
  VC_HD static void pause() {
#if defined(__CUDA_ARCH__)
    __nanosleep(100);
#else
    sched_yield();
#endif
  }
};

}  // namespace cvl::cuda

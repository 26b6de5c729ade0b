#pragma once

#include "subjects.h"

namespace cvl::conformance {

// Data for the operations that write or read elements at indices.

/// Which operands an operation of the scatter and gather family has.
struct Family {
  bool flags = false;
  bool defaults = false;
};

/// An index that must be ignored, because its flag is false.
std::int64_t ignored_index(Rng& rng);
/// For each element of `segments`, the length of the segment with the same number in `other`.
std::vector<std::int64_t> bounds_of(const Segmentation& segments, const Segmentation& other);
/// Makes some indices of a call out of range, each followed by another one that must not be reported.
void spoil_indices(const Call& good, const HostVector* flags, const std::vector<std::int64_t>& bounds, Rng& rng,
                   const CallSink& sink);

void scatter_calls(const vcode::OpInfo& row, const TypeVariant& variant, Family family, const Sizes& sizes, Rng& rng,
                   const CallSink& sink);
/// Indices out of range, and without defaults also targets of two elements.
void bad_scatters(const vcode::OpInfo& row, const TypeVariant& variant, Family family, const Sizes& sizes, Rng& rng,
                  const CallSink& sink);
void latest_calls(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                  const CallSink& sink);
void bad_latests(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                 const CallSink& sink);

}  // namespace cvl::conformance

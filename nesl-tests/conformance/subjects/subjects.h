#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "call.h"
#include "vcode/op.h"

namespace cvl::conformance {

/// Sizes of the data for a subject.
struct Sizes {
  std::vector<std::int64_t> lengths;
  std::int64_t thorough_up_to = 0;  ///< longest vector divided in every way that segmentations() knows

  /// Divisions of a vector: all that segmentations() knows, or for long vectors one segment and two others.
  std::vector<Segmentation> cuts(std::int64_t length, Rng& rng) const;

  /// Lengths around every power of two where a backend may change its method.
  static Sizes all();
  /// Lengths long enough to be shared by several threads.
  static Sizes parallel();
};

using CallSink = std::function<void(const Call&)>;

/// One row of the operation table with one choice of element types.
struct Subject {
  std::string name;                                                      ///< letters, digits and underscores
  std::function<void(const Sizes&, Rng&, const CallSink&)> calls;        ///< on data without faults
  std::function<void(const Sizes&, Rng&, const CallSink&)> bad_calls{};  ///< on data with faults; may be absent
};

/// Makes GoogleTest print the name.
inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

/// Types of the vectors of a row, descriptors left out.
struct TypeVariant {
  std::vector<ElemType> operands;
  std::vector<ElemType> results;
  std::string name;  ///< as in Add_i32_i32_to_i32
};

/// The different type variants of a row under all suffixes and widths.
std::vector<TypeVariant> type_variants(const vcode::OpInfo& row);

std::vector<Subject> elementwise_subjects();
std::vector<Subject> scan_subjects();
/// Subjects of all rows of the classes kAccumulate and kVector, except those that are computed without a backend
/// (LENGTH, LENGTHS). A row without an entry in generators() gets a subject that fails.
std::vector<Subject> vector_subjects();

/// The subjects of all classes.
std::vector<Subject> all_subjects();

}  // namespace cvl::conformance

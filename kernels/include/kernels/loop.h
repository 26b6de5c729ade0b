#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vcode/grouping.h"
#include "vcode/kernel.h"
#include "vcode/kernel_rules.h"
#include "vcode/op.h"
#include "vcode/types.h"

namespace kernels {

using vcode::ElemType;
using vcode::KernelVar;

/// A member of an ArgumentStruct.
struct Member {
  std::uint32_t number = UINT32_MAX;
};

/// The argument of a compiled loop: a struct of addresses and numbers of 64 bits. Both the code and its callers find
/// the members by this list.
class ArgumentStruct {
 public:
  enum class Type : std::uint8_t { kAddress, kNumber };
  struct Entry {
    std::string name;
    Type type;
  };
  Member add(std::string name, Type type);
  const std::vector<Entry>& members() const { return members_; }
  const Entry& operator[](Member member) const { return members_[member.number]; }

 private:
  std::vector<Entry> members_;
};

/// A loop over elements of the index space of a kernel: the steps that it computes, with intermediate values in
/// registers, and how it reads and writes vectors. Its body is in SSA form: each value is bound once, by a step.
///
/// A loop is compiled to functions that differ in the form of the traversal:
/// - flat: elements [begin, end), one after the other. Segments show in what the loop reads: per-segment values have
///   been spread to vectors, and scans have head flags.
/// - a nest: an outer loop over segments [first, last], an inner one over those of their elements that are in the range
///   [range_begin, range_end). It computes values per segment once, and folds.
/// - lanes: one segment a lane, for short segments of which only folds and arg-reductions remain.
/// - a product: segments of equal length that are all pairs of rows x and columns y, as those of a product of matrices.
///   Several rows and columns are computed together, so that each element that is loaded is used several times.
///
/// The comments of members say which forms read them. "Element 0" and "segment 0" are those of the whole index space:
/// the address at which they would be, if only a part is in memory.
struct Loop {
  enum class Form : std::uint8_t { kFlat, kNest, kLanes, kProduct };
  /// How elements of an input come about.
  enum class Access : std::uint8_t {
    kElements,     ///< elements of a vector
    kSpread,       ///< DIST: one element for all elements of the segment
    kProgression,  ///< INDEX: from the first element and the stride
    kSlice,        ///< SLICE: from a part of the table
  };
  /// A value that the loop reads and does not compute.
  struct Input {
    KernelVar value = 0;
    Access access = Access::kElements;
    KernelVar segments = 0;  ///< the values per segment: the operand of DIST, the starts of INDEX and SLICE
    KernelVar stride = 0;    ///< strides of an INDEX
    KernelVar table = 0;     ///< table of a SLICE
    bool is_constant = false;  ///< DIST of a constant: the same element for all segments
    int segmentation = -1;   ///< descriptor of the segments
    const vcode::Kernel::Step* maker = nullptr;  ///< the DIST, INDEX or SLICE
    Member elements = {};         ///< element 0; in nests and lanes only of kElements
    Member per_segment = {};      ///< nest, lanes: the value for segment 0
    Member step = {};             ///< nest, lanes, unless constant: distance of the values of neighbouring segments, 0 or 1
    Member strides = {};          ///< nest, lanes: of INDEX, for segment 0
    Member source = {}, length = {};   ///< nest, lanes: elements of the table of SLICE, and their number
    bool is_made() const { return access != Access::kElements; }
  };
  /// A value that is computed here, or made from values per segment, and needed in memory.
  struct Output {
    KernelVar value = 0;
    bool in_flat = true, in_nest = true;  ///< the forms that store it
    bool may_stream = false;              ///< not read again by this kernel, and of numbers
    Member elements = {};                      ///< element 0
    /// Whether to store past the cache. The first element of the call must then be at an address that is a multiple of
    /// 64.
    Member stream = {};
  };
  /// A vector that gathers read with indices in the same segments. If it has several segments, the nest must go over the
  /// segments of the indices, and there are no lanes.
  struct Table {
    KernelVar value = 0;
    KernelVar descriptor = 0;  ///< of the table
    int segmentation = -1;     ///< descriptor of the indices
    Member elements = {}, length = {};   ///< its elements (an address even if there are none) and their number
    Member starts = {}, step = {};       ///< nest: starts of its segments, and 1; for one segment 0 and a large number, and 0
  };
  struct Gather {
    const vcode::Kernel::Step* step = nullptr;
    int table = 0;  ///< index into `tables`
  };
  struct Scan {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;  ///< among the kernel's scans
    int segmentation = -1;
    Member carry = {};     ///< the accumulation of the preceding elements, to which these elements are added
    Member identity = {};  ///< the identity element
    Member whole = {};     ///< nest: whether all elements are of one segment, in whatever segments the nest goes
    Member heads = {};     ///< flat: head flag of element 0, with kHeadMargin flags around those of the range
  };
  struct Pack {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;       ///< among the kernel's PACKs
    int count = 0;        ///< number of the count of its flags
    bool counts = false;  ///< the first PACK with its flags and segments, which counts the flags
    int segmentation = -1;
    Member result = {};    ///< element 0 of the result
    Member position = {};  ///< index of the next kept element, which is advanced
    Member room = {};      ///< index of the first element of the result that must not be overwritten
    /// Nest, if it counts: number of kept elements of segment 0, and the distance between those of neighbouring
    /// segments, 0 or 1; only elements in the range count.
    Member lengths = {}, distance = {};
  };
  /// A permutation of a single segment, or a scatter to targets in a single segment that hold defaults.
  struct Scatter {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;          ///< among the kernel's scatters
    Member result = {}, targets = {};  ///< target 0, and the number of targets
    /// Permutation: the sum of the hashes of targets, to which those of these targets are added.
    Member hashes = {};
  };
  /// A reduction; or the accumulation of a scan for the elements that follow. Nests and lanes compute them.
  struct Fold {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;  ///< among reductions, or scans
    int segmentation = -1;
    Member result = {};  ///< of segment 0; of a carry: of the last segment. The empty value for a segment without
                    ///< elements, in a nest the identity element for one without elements in the range
    bool is_carry() const { return vcode::info(step->op).op_class == vcode::OpClass::kScan; }
  };
  /// An arg-reduction that the lanes compute.
  struct ArgReduction {
    const vcode::Kernel::Step* step = nullptr;
    int segmentation = -1;
    Member result = {};  ///< lanes: the index for segment 0
  };

  /// An INT of the loop that changes by a constant from an element to the next within a segment: a sum of inputs, which
  /// are spread or progressions with one stride, of gathered elements that are the same in the segment, and of choices.
  struct Linear {
    struct Term {
      KernelVar value = 0;
      int times = 0;
      bool operator==(const Term&) const = default;
    };
    std::vector<Term> terms;
    int constant = 0;
    int slope = 0;  ///< the change in strides of the progressions
    bool operator==(const Linear&) const = default;
  };
  /// Consecutive elements of a segment at which gathers read elements of their tables that follow each other, or every
  /// second one, and conditions on indices are known, so that nothing has to be checked: those for which all bounds
  /// hold and all indices of gathers are within their tables, in segments where the conditions hold and all
  /// progressions have the same stride, 1 or 2. Only a nest knows them. Elements before and behind
  /// them are the border.
  struct Interior {
    enum class Relation : std::uint8_t { kNotNegative, kNotZero, kIsInt };
    struct Bound {
      Linear value;
      Relation relation;
      bool operator==(const Bound&) const = default;
    };
    struct Flag {
      KernelVar flag = 0;
      bool value = false;
    };
    /// A gather whose flags are known to be true, or that has none.
    struct Gather {
      KernelVar result = 0;
      int table = 0;  ///< index into `tables`
      Linear index;
    };
    /// The result of a SELECT of linear values with one slope: the interior is in the longer of the parts before and
    /// behind the element at which its flag changes.
    struct Choice {
      KernelVar result = 0;
      Linear condition;  ///< the flag is true where this is not negative
      Linear if_true, if_false;
    };
    std::vector<Flag> conditions;       ///< values of spread BOOLs that are inputs
    std::vector<Gather> constants;      ///< one element for the segment; each may be a term of those behind it
    std::vector<Choice> choices;
    std::vector<Bound> bounds;
    std::vector<Gather> runs;           ///< elements that follow each other, upwards or downwards; or with any flags
    std::vector<Flag> flags;            ///< values of BOOLs that are known
    std::vector<KernelVar> faultless;   ///< results of BOUND and REQUIRE without a fault: they equal the second operand
    std::optional<bool> known(KernelVar flag) const;
  };

  /// How segments are pairs of a row x and a column y. All inputs are slices, which depend on one of the two by where
  /// they start, or the same element for all segments; the loop has one fold and nothing else.
  struct Product {
    KernelVar rows = 0, columns = 0;  ///< the starts of the slices that depend on x, and on y
    Member row_distance = {}, column_distance = {};  ///< numbers of segments from a row, or column, to the next
    Member columns_count = {};                       ///< number of columns
    Member length = {};                              ///< elements of each segment, at least 1
  };

  std::vector<const vcode::Kernel::Step*> steps;  ///< in order
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Table> tables;
  std::vector<Gather> gathers;    ///< among the steps, in order
  std::vector<Scan> scans;        ///< among the steps, in order
  std::vector<Pack> packs;        ///< among the steps, in order
  std::vector<Scatter> scatters;  ///< among the steps, in order
  std::vector<Fold> folds;
  std::vector<ArgReduction> arg_reductions;  ///< only with `lanes`
  std::optional<Interior> interior;
  std::optional<Product> product;  ///< only with `lanes`
  ArgumentStruct arguments;
  Member starts = {}, range_begin = {}, range_end = {};  ///< nest, lanes: starts of segments from segment 0 on; the range

  std::uint32_t repeated = 0;  ///< number of values of a loop whose steps it repeats (vcode::Kernel); 0: none
  /// Whether it can be computed with one segment a lane: all inputs are made from one value per segment, and nothing but
  /// folds and arg-reductions reads the results.
  bool lanes = false;
  bool scans_by_blocks = false;           ///< a scan folds by blocks, whose begins the flat form does not know

  /// Whether the loop has a flat form. The NESL compiler repeats loops over one segment, for which a nest, if there is
  /// one, does: a second form would only be compiled.
  bool has_flat() const { return !scans_by_blocks && (repeated == 0 || !has_nest()); }
  /// Whether it has a nest: it reads or makes values per segment.
  bool has_nest() const;
  bool has(Form form) const {
    return form == Form::kFlat   ? has_flat()
           : form == Form::kNest ? has_nest()
           : form == Form::kLanes ? lanes
                                  : product.has_value();
  }

  /// Adds all members to `arguments`, named after `names`, the values of the kernel.
  void add_members(std::span<const vcode::Kernel::ValueInfo> names);
};

/// Number of head flags, all false, that precede and follow the flags of a range: compiled code reads the flags of
/// whole vectors.
inline constexpr std::int64_t kHeadMargin = 64;

}  // namespace kernels

#pragma once

#include <span>
#include <string>
#include <vector>

#include "native/lower_elementwise.h"
#include "regions/native_region.h"

namespace cvl::cpu {

/// Appends the scatters of a region, which are permutations of one segment. The sum of the hashes of the places of each
/// (see place_hash.h) passes from one round of a loop to the next: a part in each lane.
class ScatterWriter {
 public:
  ScatterWriter(LlvmText& text, const Region& region, std::span<const ElemType> types)
      : text_(text), region_(region), types_(types) {}

  /// Loads the region's words that tell of scatters.
  void load_words();
  std::vector<std::string> state_types() const;
  /// The sums before there are elements; the stores of those with all elements.
  std::vector<LaneValue> initial() const;
  void end(std::span<const LaneValue> sums);

  /// Writes elements of scatter k to their places, of which only those in `mask` count if it is not empty; none of them
  /// if one is at fault. Returns the lanes that are.
  std::string add(std::size_t k, const LaneValue& elements, const LaneValue& index, std::span<LaneValue> sums,
                  const std::string& mask);

 private:
  struct Words {
    std::string result;  ///< the address of place 0
    std::string bound;   ///< the number of places, in all lanes of the indices' type
    std::string sum;     ///< the address of the sum
  };
  LaneValue with_hashes(const LaneValue& sum, const LaneValue& index, const std::string& mask);
  void store_each(const LaneValue& elements, const std::string& vector, const LaneValue& index,
                  const std::string& result);
  std::string sums_type() const { return text_.type(ElemType::kI64); }

  LlvmText& text_;
  const Region& region_;
  std::span<const ElemType> types_;
  std::vector<Words> words_;
};

}  // namespace cvl::cpu

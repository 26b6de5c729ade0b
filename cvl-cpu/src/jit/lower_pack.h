#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/loop.h"
#include "lanes/llvm_text.h"

namespace cvl::cpu {

/// Appends the PACKs of a loop. The index of the next kept element of each is carried from one iteration of a loop to
/// the next.
class PackWriter {
 public:
  PackWriter(LlvmText& text, const Loop& loop, std::span<const ElemType> types, bool by_segments)
      : text_(text), loop_(loop), types_(types), by_segments_(by_segments) {}

  /// Loads the members of the function's argument that belong to PACKs.
  void load_members();
  std::vector<std::string> state_types() const { return std::vector<std::string>(loop_.packs.size(), "i64"); }
  /// initial() loads the indices of the next kept elements; end() stores them after all elements.
  std::vector<LaneValue> initial();
  void end(std::span<const LaneValue> positions);

  /// In a nest: stores how many elements of a segment have been kept since initial(); 0 if there are no positions.
  void store_counts(const std::string& segment, std::span<const LaneValue> positions);

  /// Writes the elements of PACK k whose flags are true. If `mask` is empty, as many elements are written as there are
  /// lanes. Otherwise only lanes in the mask count, and nothing is written after the kept elements if there is no room.
  void add(std::size_t k, const LaneValue& elements, const LaneValue& flags, std::span<LaneValue> positions,
           const std::string& mask);

 private:
  struct Members {
    std::string result;    ///< address at which element 0 of the result would be
    std::string position;  ///< address of the index of the next kept element
    std::string room;      ///< index of the first element that must not be overwritten
    std::string lengths;   ///< of a nest, of a PACK that counts: number of kept elements of segment 0; otherwise empty
    std::string distance;  ///< distance of the numbers of kept elements of neighbouring segments
    std::string first;     ///< index of the next kept element where the segment begins
  };
  void write(const LaneValue& elements, const std::string& keep, const std::string& to);
  void write_truth(const LaneValue& elements, const std::string& keep, const std::string& to);
  void write_each(const LaneValue& elements, const std::string& keep, const std::string& to);
  void write_where_room(std::size_t k, const LaneValue& elements, const std::string& keep, const std::string& to,
                        const std::string& position, const std::string& count);
  void write_exactly(const LaneValue& elements, const std::string& keep, const std::string& to,
                     const std::string& count);
  bool compresses(ElemType type) const;
  LaneValue packed(const LaneValue& elements, const std::string& keep);
  LaneValue compressed(const LaneValue& elements, const std::string& keep);
  LaneValue packed_by_table(const LaneValue& elements, const std::string& keep);
  std::string bits_as_integer(const std::string& keep);

  LlvmText& text_;
  const Loop& loop_;
  std::span<const ElemType> types_;
  bool by_segments_;
  std::vector<Members> members_;
};

}  // namespace cvl::cpu

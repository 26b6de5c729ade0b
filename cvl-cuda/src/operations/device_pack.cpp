#include "base/check.h"
#include "cvl/dispatch.h"
#include "operations/bit_plan.h"
#include "operations/device_operations.h"
#include "operations/tiled.h"
#include "vcode/arith.h"

namespace cvl::cuda {
namespace {

/// The numbers of kept elements among some elements, and among those since the last head. Both fit in the 95 bits that
/// a payload has beside the flag: no device has memory for 2^47 elements.
struct Kept {
  std::int64_t total, since;
  bool has_head;

  VC_HD Payload payload() const {
    const auto rest = static_cast<std::uint64_t>(since);
    return {static_cast<std::uint64_t>(total) | rest << 48, static_cast<std::uint32_t>(rest >> 16 << 1) | has_head};
  }
  VC_HD static Kept from(const Payload& p) {
    constexpr std::uint64_t kTotal = (std::uint64_t{1} << 48) - 1;
    return {static_cast<std::int64_t>(p.low & kTotal),
            static_cast<std::int64_t>(std::uint64_t{p.high >> 1} << 16 | p.low >> 48), (p.high & 1) != 0};
  }
};

struct AddKept {
  VC_HD Kept operator()(const Kept& a, const Kept& b) const {
    return {a.total + b.total, b.has_head ? b.since : a.since + b.since, a.has_head || b.has_head};
  }
};

/// A bit for each of `count` flags, at most 32.
VC_HD std::uint32_t bits_of(const bool* flags, int count) {
  std::uint32_t bits = 0;
  if (count == 32 && reinterpret_cast<std::uintptr_t>(flags) % 8 == 0) {
    for (int j = 0; j < 4; ++j) {
      std::uint64_t eight;
      memcpy(&eight, __builtin_assume_aligned(flags + 8 * j, 8), sizeof eight);
      // The multiplication moves the lowest bit of byte i to bit i of the highest byte.
      bits |= static_cast<std::uint32_t>(eight * 0x0102040810204080u >> 56) << 8 * j;
    }
  } else {
    for (int j = 0; j < count; ++j) bits |= static_cast<std::uint32_t>(flags[j]) << j;
  }
  return bits;
}

struct PlanShared {
  TileHeads heads;
  std::uint32_t before_word[TileHeads::kWords];  ///< kept elements before the word, in the tile
  std::int64_t since_head;                       ///< kept elements, before the tile, of the segment that continues in
                                                 ///< the tile
};

/// Makes a plan, and counts the kept elements of each segment, in one launch.
template <Lookup lookup, class I>
struct Planning {
  const bool* flags;
  Segments segments;
  SegmentHeads* words;
  std::int64_t* bases;
  I* lengths;
  Reply reply;  ///< with the number of all kept elements

  using Counts = Items<std::uint16_t>;  ///< counts within a tile: at most kTile
  using Back = LookBack<Kept, AddKept>;

  /// Loads 1 for each kept element, 0 for each other.
  CVL_DEVICE void load(const Block& block, std::int64_t tile, Counts& counts) const {
    block.load(counts, reinterpret_cast<const std::uint8_t*>(flags) + tile * kTile,
               count_in_tile(tile, segments.elements), std::uint16_t{0},
               [](std::uint8_t flag) { return std::uint16_t{flag}; });
  }
  CVL_DEVICE void write_words(const Block& block, const Counts& before, PlanShared& shared) const {
    block.for_items(before, [&](int k, std::uint16_t kept) {
      if (k % 32 == 0) shared.before_word[k / 32] = kept;
    });
    block.sync();
    const std::int64_t begin = block.index() * kTile;
    const int count = count_in_tile(block.index(), segments.elements);
    block.for_each((count + 31) / 32, [&](std::int64_t w) {
      const int left = count - int(w) * 32;
      words[begin / 32 + w] = {bits_of(flags + begin + w * 32, left < 32 ? left : 32), shared.before_word[w]};
    });
  }

  static constexpr bool kHasSegments = lookup != Lookup::kNone;

  CVL_DEVICE void plan_tile(Block& block, PlanShared& shared, const Back& look_back) const {
    const std::int64_t tile = block.index();
    const auto add = [](std::uint16_t a, std::uint16_t b) { return static_cast<std::uint16_t>(a + b); };
    if constexpr (kHasSegments) find_heads(block, segments, shared.heads);
    Counts counts;
    load(block, tile, counts);
    Counts before = counts;
    Kept of_tile{0, 0, false};  // valid in the threads that call the lambdas below
    if constexpr (kHasSegments) {
      block.template scan<true>(counts, std::uint16_t{0}, std::uint16_t{0}, shared.heads, add,
                                [&](std::uint16_t since, bool has_head) {
                                  of_tile.since = since;
                                  of_tile.has_head = has_head;
                                  return std::uint16_t{0};
                                });
    }
    block.template scan<false>(before, std::uint16_t{0}, std::uint16_t{0}, NoHeads{}, add,
                               [&](std::uint16_t total, bool) {
                                 of_tile.total = total;
                                 const Kept sum = look_back.before(block, of_tile);
                                 if (block.leads()) put_sums(tile, sum, total, shared);
                                 return std::uint16_t{0};
                               });
    write_words(block, before, shared);
    if constexpr (kHasSegments) {
      for_ends(block, counts, shared.heads, [&](int k, int head, std::uint16_t kept) {
        const std::int64_t before_tile = head < 0 ? shared.since_head : 0;
        lengths[segment_with<lookup>(segments, shared.heads, k, head)] = static_cast<I>(before_tile + kept);
      });
    } else if (block.leads() && tile == look_back.tiles - 1) {
      lengths[0] = static_cast<I>(bases[tile + 1]);
    }
  }
  CVL_DEVICE void put_sums(std::int64_t tile, const Kept& before, int total, PlanShared& shared) const {
    shared.since_head = before.since;
    bases[tile] = before.total;
    if (tile * kTile + count_in_tile(tile, segments.elements) != segments.elements) return;
    bases[tile + 1] = before.total + total;
    reply.give(before.total + total);
  }
};

template <Lookup lookup, class I>
void plan_as(Executor& executor, const Planning<lookup, I>& work) {
  const Segments& segments = work.segments;
  const std::int64_t tiles = tiles_of(segments.elements);
  const std::int64_t maybe_empty = work.kHasSegments && segments.may_have_empty() ? segments.segments : 0;
  const std::int64_t tiles_of_empty = tiles_of(maybe_empty), blocks = tiles > tiles_of_empty ? tiles : tiles_of_empty;
  const std::int64_t share = blocks == 0 ? 0 : (maybe_empty + blocks - 1) / blocks;
  using Back = typename Planning<lookup, I>::Back;
  executor.template tiles_in_order<PlanShared, kResidentFor<lookup>>(
      blocks, Back::words(tiles), [=] CVL_DEVICE(Block & block, PlanShared & shared, const Board& board) {
        const std::int64_t tile = block.index();
        store_to_empty(block, work.segments, tile * share, share, I(0), StoreTo<I>{work.lengths});
        if (tile < tiles) work.plan_tile(block, shared, Back{board, tiles, Kept{0, 0, false}, AddKept{}});
      });
}

template <class T>
void pack_as(const Context& context, const BitPlan& plan, Operand a, Result result) {
  const KeptPositions positions = plan.positions();
  const T* const source = static_cast<const T*>(a.data);
  T* const to = static_cast<T*>(result.data);
  context.executor.template map<T>(
      a.length, [=] CVL_DEVICE(std::int64_t e) { return positions.is_kept(e) ? source[e] : T(0); },
      [=] CVL_DEVICE(std::int64_t e, T x) {
        if (positions.is_kept(e)) to[positions.count_to(e) - 1] = x;
      });
}

}  // namespace

void make_bit_plan(const Context& context, Operand flags, const SegmentDescriptor& descriptor, Result lengths,
                   BitPlan& plan, const Reply& reply) {
  const Segments segments(descriptor);
  with_int(lengths.type, [&]<class I>() {
    auto plan_by = [&]<Lookup lookup>() {
      plan_as(context.executor, Planning<lookup, I>{static_cast<const bool*>(flags.data), segments, plan.words.data(),
                                                    plan.bases.data(), static_cast<I*>(lengths.data), reply});
    };
    if (flags.length > 0 && descriptor.is_single())
      plan_by.template operator()<Lookup::kNone>();
    else if (segments.is_searched())
      plan_by.template operator()<Lookup::kSearch>();
    else
      plan_by.template operator()<Lookup::kHeads>();
  });
}

std::unique_ptr<PackPlan> plan_pack(const Context& context, Operand flags, const SegmentDescriptor& descriptor,
                                    Result lengths, bool awaits_kept) {
  const std::int64_t n = flags.length;
  auto plan = std::make_unique<BitPlan>(context.pool(), n);
  awaits_kept = awaits_kept && n > 0;
  make_bit_plan(context, flags, descriptor, lengths, *plan, awaits_kept ? context.executor.next_reply() : Reply{});
  const Transfer kept{&plan->kept, nullptr, sizeof plan->kept};
  if (awaits_kept) context.executor.await_reply(&kept, 1);
  return plan;
}

void run(const Context& context, const Pack& pack) {
  VC_CHECK(dynamic_cast<const BitPlan*>(&pack.plan) != nullptr && pack.result.length == pack.plan.kept &&
           pack.flags.length == pack.a.length);
  with_size(pack.a.type,
            [&]<class T>() { pack_as<T>(context, static_cast<const BitPlan&>(pack.plan), pack.a, pack.result); });
}

}  // namespace cvl::cuda

#include "../frame/peer_run.h"

// The same 32 splits: each chunk counts its zeros, which tells where its keys go.
PROGRAM_PEER(radix_sort) {
  constexpr std::int64_t kGrain = 65536;
  constexpr std::uint32_t kSign = 0x80000000u;
  const std::int64_t n = run.n(), chunks = (n + kGrain - 1) / kGrain;
  const Buffer<std::int32_t> keys(n, scramble), sorted(n);
  const Buffer<std::uint32_t> even(n), odd(n);
  const Buffer<std::int64_t> zeros(chunks);
  run.time([&] {
    run.team().for_chunks(n, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) even[i] = std::uint32_t(keys[i]) ^ kSign;
    });
    for (int bit = 0; bit < 32; ++bit) {
      const std::uint32_t* const from = bit % 2 == 0 ? even.data() : odd.data();
      std::uint32_t* const to = bit % 2 == 0 ? odd.data() : even.data();
      run.team().for_chunks(n, kGrain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        std::uint32_t ones = 0;
        for (std::int64_t i = begin; i < end; ++i) ones += (from[i] >> bit) & 1u;
        zeros[chunk] = end - begin - ones;
      });
      std::int64_t all_zeros = 0;
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        const std::int64_t own = zeros[chunk];
        zeros[chunk] = all_zeros;
        all_zeros += own;
      }
      run.team().for_chunks(n, kGrain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        std::int64_t places[2] = {zeros[chunk], all_zeros + begin - zeros[chunk]};
        for (std::int64_t i = begin; i < end; ++i) to[places[(from[i] >> bit) & 1u]++] = from[i];
      });
    }
    run.team().for_chunks(n, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sorted[i] = std::int32_t(even[i] ^ kSign);
    });
  });
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::uint32_t(sorted[i]) * std::uint32_t(i);
  run.result(sorted[0], sorted[n / 2], sorted[n - 1], std::int32_t(sum));
  run.cost(32 * 12.0 * n, 32 * 4.0 * n);
  run.report();
}

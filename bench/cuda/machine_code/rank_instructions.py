#!/usr/bin/env python3
"""The warp instructions that blocks execute to rank short segments (operations/rank_in_blocks.h), counted by running their machine code
for compute capability 9.0 on the host, as scripts/instruction_table counts those of generated kernels.

  bench/cuda/machine_code/rank_instructions.py BUILD     prints a table in Markdown; fails if a rank is wrong

BUILD is a folder of a build, for generated headers. Needs nvcc (on PATH, in /usr/local/cuda/bin or named by CUDACXX) and nvdisasm (on PATH
or named by NESL_NVDISASM). Keys are INTs of 32 bits; segments of different lengths have heads.
"""

import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import sass_machine
from sass_listing import Memory

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Of an H200, as in scripts/instruction_table: warp instructions in a second.
PEAK = 132 * 4 * 1.755e9
# kRankedInBlock and WholeSegments::kShare.
MOST, SHARE = 2048, 1024
KERNEL = """
#include "operations/rank_in_blocks.h"
using namespace cvl::cuda;
extern "C" __global__ void __launch_bounds__(kThreads, kResident) rank(const __grid_constant__ RankInBlocks<int, int> work) {
  __shared__ BlockStorage<kThreads> storage;
  __shared__ RankShared<std::uint32_t> shared;
  const Block block(blockIdx.x, storage);
  (void)work.rank(block, shared);
}
"""


class Block(sass_machine.Block):
    def do_viaddmnmx(self, warp, i, lanes, pc):
        read = (lambda x: x) if "U32" in i.words else sass_machine.signed
        for lane in lanes:
            a, b, c = (self.value(warp, o, lane) for o in i.operands[1:4])
            both = read(a + b & sass_machine.MASK), read(c)
            self.set(warp, i.operands[0], lane, min(both) if self.predicate(warp, i.operands[4], lane) else max(both))


def listing(build):
    nvcc = os.environ.get("CUDACXX") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder, "rank.cu"), pathlib.Path(folder, "rank.cubin")
        source.write_text(KERNEL)
        includes = [ROOT / "cvl-cuda/src", ROOT / "vcode/include", build / "vcode/include", ROOT / "cvl/include", ROOT / "base/include"]
        subprocess.run([nvcc, "-std=c++20", "-arch=sm_90", "-O3", "-fmad=false", "--expt-relaxed-constexpr", "--extended-lambda", "-cubin",
                        *(f"-I{folder}" for folder in includes), "-o", cubin, source], check=True)
        disassembler = os.environ.get("NESL_NVDISASM", "nvdisasm")
        return subprocess.run([disassembler, "-c", cubin], capture_output=True, text=True, check=True).stdout


def row(code, name, lengths):
    """Counts the second block, which begins in the middle of the vector."""
    starts = [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    n, is_regular = starts[-1], len(set(lengths)) == 1
    numbers = random.Random(1)
    a = [numbers.randrange(-2**31, 2**31) for _ in range(n)]
    memory, ranks = Memory(), bytearray(4 * n)
    offsets = heads = 0
    share = MOST // lengths[0] * lengths[0] if is_regular else SHARE
    if not is_regular:
        offsets = memory.add(bytearray(struct.pack(f"<{len(starts)}q", *starts)))
        words = [0] * ((n + 31) // 32)
        for start in starts[:-1]:
            words[start // 32] |= 1 << start % 32
        heads = memory.add(bytearray(b"".join(struct.pack("<II", word, sum(w.bit_count() for w in words[:k])) for k, word in enumerate(words))))
    elements = memory.add(bytearray(struct.pack(f"<{n}i", *a)))
    argument = struct.pack("<3q", elements, 0, memory.add(ranks))
    argument += struct.pack("<7q", len(lengths), n, lengths[0] if is_regular else -1, offsets, heads, 0, share)
    block = Block(code, memory, argument, 1)
    block.run()
    begin, end = (next(s for s in starts if s >= k * share) for k in (1, 2))
    found = struct.unpack(f"<{n}i", bytes(ranks))
    for first, last in zip(starts, starts[1:]):
        order = sorted(range(first, last), key=lambda e: a[e])
        if begin <= first and last <= end and any(found[e] != rank for rank, e in enumerate(order)):
            sys.exit(f"rank_instructions: {name}: the machine code computes another rank")
    executed, count = sum(block.executed.values()), end - begin
    picoseconds = executed / count / PEAK * 1e12
    return f"| {name} | {executed / 8 * 1024 / count:.0f} | {block.barriers} | {picoseconds:.0f} | {2 * picoseconds:.0f} |"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    code, random_lengths = listing(pathlib.Path(sys.argv[1])), random.Random(2)
    print("| lengths | instructions | barriers | at the full rate, ps | at half of it |\n|---|---|---|---|---|")
    for length in (16, 100, 1000, 2048):
        print(row(code, f"{length} each", [length] * (3 * MOST // length)), flush=True)
    for most in (31, 999):
        lengths = [random_lengths.randint(1, most) for _ in range(6 * MOST // most)]
        print(row(code, f"1 to {most}", lengths), flush=True)


main()

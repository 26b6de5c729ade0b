#!/bin/bash
# gpu_check_test.sh GPU_CHECK BUILD: makes a bundle of what is built, runs it on the host executor, and sees that
# gpu-check notices a wrong result, a program that hangs, what a sanitizer reports, a missing device and a missing bundle.
set -euo pipefail

gpu_check=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "gpu_check_test: $*" >&2
  exit 1
}
expect() { # TEXT FILE
  grep -qF -- "$1" "$2" || { cat "$2" >&2; fail "not found: $1"; }
}

"$gpu_check" --bundle --backend=cuda-host "--from=$build" "$work/bundle.tar.gz" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "no bundle"; }
if GPU_CHECK_MOST_BYTES=1000000 "$gpu_check" --bundle --backend=cuda-host "--from=$build" "$work/large.tar.gz" > "$work/log" 2>&1; then
  fail "a bundle that is too large is written"
fi
expect 'bytes unpacked, and may have less than 1000000. The largest files:' "$work/log"
expect ' bin/libcvl-cuda-host.so' "$work/log"
[[ ! -e $work/large.tar.gz ]] || fail "a bundle that is too large is there"

mkdir "$work/unpacked"
tar -xzf "$work/bundle.tar.gz" -C "$work/unpacked"
bundle=$work/unpacked/nesl-gpu-check

"$bundle/run" --quick --backend=cuda-host "--out=$work/all.json" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "a step failed"; }
expect '"name": "conformance", "verdict": "passed"' "$work/all.json"
expect '"name": "corpus", "verdict": "passed"' "$work/all.json"
expect '"name": "generated", "verdict": "passed"' "$work/all.json"
expect '"name": "results", "verdict": "passed"' "$work/all.json"
expect '"name": "classic", "verdict": "passed"' "$work/all.json"
expect '"library": "cvl-cuda' "$work/all.json"

expect '"name": "memcheck", "verdict": "skipped"' "$work/all.json"

# Wrong results; a program without an end; a sanitizer whose first tool reports something and then takes too long, and
# whose second only takes too long.
find "$bundle/corpus" -name 'O?-f??' -exec sh -c 'echo "( 17 )" >> "$1"' sh {} \;
mkdir "$bundle/corpus/0-endless"
for name in O0-f64 input options; do : > "$bundle/corpus/0-endless/$name"; done
printf 'FUNC MAIN\n CALL MAIN\nRET\n' > "$bundle/corpus/0-endless/O0.vcode"
cat > "$work/sanitizer" << 'END'
#!/bin/bash
echo "========= COMPUTE-SANITIZER"
echo "[       OK ] A.Test (1 ms)"
[[ $2 != memcheck ]] || echo "========= Invalid __global__ read of size 4 bytes"
exec sleep 100
END
chmod +x "$work/sanitizer"
if GPU_CHECK_SANITIZER=$work/sanitizer "$bundle/run" --quick --backend=cuda-host "--out=$work/wrong.json" > "$work/log" 2>&1; then
  fail "wrong results pass"
fi
expect '"name": "corpus", "verdict": "failed"' "$work/wrong.json"
expect "expected '( 17 ) ', found the end" "$work/log"
expect '0-endless, O0-f64: no answer within 9 seconds, killed by signal 9 (Killed)' "$work/log"
expect '"name": "memcheck", "verdict": "failed"' "$work/wrong.json"
expect '"name": "racecheck", "verdict": "partial"' "$work/wrong.json"
expect '1 tests passed before the time ran out' "$work/wrong.json"

rm -f "$bundle/bin/libcvl-cuda.so"
if "$bundle/run" --quick "--out=$work/none.json" > "$work/log" 2>&1; then fail "it runs without a library"; fi
expect 'libcvl-cuda.so was not found' "$work/log"
expect '"name": "device", "verdict": "failed"' "$work/none.json"

if "$gpu_check" --run "$work/nothing.tar.gz" > "$work/log" 2>&1; then fail "it runs without a bundle"; fi
expect 'make it with scripts/gpu-check --bundle' "$work/log"

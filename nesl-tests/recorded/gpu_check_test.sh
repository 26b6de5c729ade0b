#!/bin/bash
# gpu_check_test.sh GPU_CHECK BUILD: makes a bundle of what is built, runs it on the host executor, and sees that
# gpu-check notices a wrong result, a missing device and a missing bundle.
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
mkdir "$work/unpacked"
tar -xzf "$work/bundle.tar.gz" -C "$work/unpacked"
bundle=$work/unpacked/nesl-gpu-check

"$bundle/run" --quick --backend=cuda-host "--out=$work/all.json" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "a step failed"; }
expect '"name": "conformance", "verdict": "passed"' "$work/all.json"
expect '"name": "corpus", "verdict": "passed"' "$work/all.json"
expect '"library": "cvl-cuda' "$work/all.json"

find "$bundle/corpus" -name 'O?-f??' -exec sh -c 'echo "( 17 )" >> "$1"' sh {} \;
if "$bundle/run" --quick --backend=cuda-host "--out=$work/wrong.json" > "$work/log" 2>&1; then fail "wrong results pass"; fi
expect '"name": "corpus", "verdict": "failed"' "$work/wrong.json"
expect "expected '( 17 ) ', found the end" "$work/log"

rm -f "$bundle/bin/libcvl-cuda.so"
if "$bundle/run" --quick "--out=$work/none.json" > "$work/log" 2>&1; then fail "it runs without a library"; fi
expect 'libcvl-cuda.so was not found' "$work/log"
expect '"name": "device", "verdict": "failed"' "$work/none.json"

if "$gpu_check" --run "$work/nothing.tar.gz" > "$work/log" 2>&1; then fail "it runs without a bundle"; fi
expect 'make it with scripts/gpu-check --bundle' "$work/log"

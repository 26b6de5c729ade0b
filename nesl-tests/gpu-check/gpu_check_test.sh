#!/bin/bash
# gpu_check_test.sh GPU_CHECK BUILD: makes a bundle of a build, runs it on the host executor, and checks that each kind
# of failure appears in the JSON: a crash, a hang, a wrong result, a lost device, a missing or too old driver, reports
# and refusals of a sanitizer. A stopped run continues where it was.
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

# ---- the bundle

bundle() { "$gpu_check" --bundle --backend=cuda-host "--built=$build" "$@" > "$work/log" 2>&1; }
bundle "$work/bundle.tar.gz" || { cat "$work/log" >&2; fail "no bundle"; }
expect 'gpu-check: GLIBC_2.' "$work/log"
if GPU_CHECK_MOST_BYTES=1000000 bundle "$work/large.tar.gz"; then fail "a bundle that is too large is written"; fi
expect 'bytes unpacked, and may have less than 1000000. The largest files:' "$work/log"
expect ' bin/libcvl-cuda-host.so' "$work/log"
[[ ! -e $work/large.tar.gz ]] || fail "a bundle that is too large is there"
if GPU_CHECK_MOST_GLIBC=2.3 bundle "$work/late.tar.gz"; then fail "a bundle for a later C library is written"; fi
expect ', and machines may have GLIBC_2.3' "$work/log"
if "$gpu_check" --run "$work/nothing.tar.gz" > "$work/log" 2>&1; then fail "it runs without a bundle"; fi
expect 'make it with scripts/gpu-check --bundle' "$work/log"

# NVRTC, where it is installed, compiles for the default architecture.
smoke=$(dirname "$0")/smoke
mkdir -m 700 "$work/kernels"
if "$build/bin/fill_kernel_cache" '90-real;90-virtual' "$work/kernels" "$smoke"/*.fcode > "$work/log" 2>&1; then
  expect '4 kernels' "$work/log"
else
  expect 'NVRTC cannot be opened' "$work/log"
fi
if "$build/bin/fill_kernel_cache" 'native' "$work/kernels" "$smoke"/*.fcode > "$work/log" 2>&1; then fail "any word is an architecture"; fi
expect '"native" is no architecture' "$work/log"

# ---- runs

mkdir "$work/unpacked"
tar -xzf "$work/bundle.tar.gz" -C "$work/unpacked"
bundle=$work/unpacked/nesl-gpu-check
# A few programs of each kind suffice.
find "$bundle/corpus" -mindepth 1 -maxdepth 1 ! -name 'cases.b*' -exec rm -r {} +

# run STATUS NAME OPTION...: runs the bundle, and expects this status. The results are in NAME.json.
run() {
  local status=$1 name=$2 found=0
  shift 2
  "$bundle/run" --quick --backend=cuda-host "--out=$work/$name.json" "$@" > "$work/log" 2>&1 || found=$?
  [[ $found == "$status" ]] || { cat "$work/log" >&2; fail "$name: status $found"; }
  ! command -v python3 > /dev/null || python3 -m json.tool "$work/$name.json" > /dev/null || fail "$name.json is no JSON"
}
# expect_verdict STEP VERDICT DETAIL: checks the JSON of the last run.
expect_verdict() {
  grep -F "\"name\": \"$1\", \"verdict\": \"$2\"," "$work/$name.json" | grep -qF -- "$3" ||
    { cat "$work/$name.json" "$work/log" >&2; fail "$name: no step $1, $2, with: $3"; }
}

name=all
run 0 all --only=short,results,corpus,classic,memcheck --logs "$work/logs"
expect_verdict smoke passed '12 layers work'
for step in short results corpus classic; do expect_verdict $step passed ''; done
expect_verdict memcheck 'not available' 'there is no compute-sanitizer'
expect '"library": "cvl-cuda on the host' "$work/all.json"
expect '"next": null' "$work/all.json"
expect 'scan of 1100 tiles: right' "$work/logs/smoke.log"
expect '[       OK ]' "$work/logs/short.part.0"

# Wrong results.
find "$bundle/corpus" -name 'O?-f??' -exec sh -c 'echo "( 17 )" >> "$1"' sh {} \;
name=wrong
run 1 wrong --from=corpus --only=corpus --logs "$work/logs"
expect_verdict corpus failed '"repeated": [{"test": "cases.b'
expect_verdict corpus failed '"synchronized": "failed: '
expect "expected '( 17 ) ', found the end" "$work/logs/corpus.log"

# An interpreter that crashes during the probe for compiled kernels: later steps run.
cp "$bundle/bin/vinterp" "$work"
printf '#!/bin/bash\necho about to crash\nkill -ABRT $$\n' > "$bundle/bin/vinterp"
name=crash
run 1 crash --from=generated --only=generated,classic
expect_verdict generated crashed 'signal 6, ABRT: about to crash'
expect_verdict generated crashed '"synchronized": "crashed (signal 6, ABRT): about to crash"'
expect_verdict classic passed ''
cp "$work/vinterp" "$bundle/bin"

# A crashing test is found among the tests that had begun, and repeated alone.
mv "$bundle/bin/cvl-conformance" "$work"
cat > "$bundle/bin/cvl-conformance" << 'END'
#!/bin/bash
printf '[ RUN      ] A.Works\n[       OK ] A.Works (1 ms)\n[ RUN      ] A.Crashes/3\n'
echo "sync is $CVL_CUDA_SYNC, arguments $*" >> "$(dirname "$0")/calls"
kill -SEGV $$
END
chmod +x "$bundle/bin/cvl-conformance"
name=segv
run 1 segv "--from=short" --only=short
expect_verdict short crashed '"repeated": [{"test": "A.Crashes/3", "synchronized": "crashed (signal 11, SEGV)'
expect 'sync is on, arguments cuda-host --gtest_filter=A.Crashes/3' "$bundle/bin/calls"
mv "$work/cvl-conformance" "$bundle/bin"

# A benchmark that fails with a status that is no signal is repeated with one time limit, and without --json. The
# results of both steps with cuda_bench are in the file, and stay there when a later run goes on behind them.
[[ ! -e $bundle/bin/cuda_bench ]] || mv "$bundle/bin/cuda_bench" "$work"
cat > "$bundle/bin/cuda_bench" << 'END'
#!/bin/bash
echo "arguments $*" >> "$(dirname "$0")/calls"
for word in "$@"; do
  [[ $word != --json=* ]] || printf '{\n  "library": "fake",\n  "skew": [],\n  "of": "%s"\n}\n' "$1" > "${word#*=}"
done
echo "no result"
[[ $* == *--only=skew* ]] || exit 255
END
chmod +x "$bundle/bin/cuda_bench"
name=benchmarks
run 1 benchmarks --only=benchmarks,skew
expect_verdict benchmarks failed '"repeated": [{"test": "all", "synchronized": "failed: no result"'
expect_verdict skew passed 'no result'
! grep -q 'invalid signal' "$work/log" || { cat "$work/log" >&2; fail "255 - 128 is taken for a signal"; }
grep -qx 'arguments --backend=cuda-host --elements=1000 --programs=.* --quick --seconds=15' "$bundle/bin/calls" ||
  { cat "$bundle/bin/calls" >&2; fail "the benchmarks are repeated with other options"; }
grep -qx 'arguments --backend=cuda-host --quick --elements=1000 --seconds=[0-9]* --only=skew --json=.*' "$bundle/bin/calls" ||
  { cat "$bundle/bin/calls" >&2; fail "the step skew has other options"; }
run 1 benchmarks --from=short --only=classic
[[ $(grep -c '"of": "--backend=cuda-host"' "$work/benchmarks.json") == 2 ]] ||
  { cat "$work/benchmarks.json" >&2; fail "measurements of an earlier run are lost"; }
rm "$bundle/bin/cuda_bench"
[[ ! -e $work/cuda_bench ]] || mv "$work/cuda_bench" "$bundle/bin"

# A lost device is reported with kernel, grid and site, in the layer that uses it; the layers above are not tested.
name=lost
CVL_CUDA_HOST_LOSE=2 run 1 lost --only=classic --logs "$work/logs"
expect_verdict smoke failed '"synchronized": "failed: map: the CUDA device failed in kernel of '
expect 'map: the CUDA device failed while computing' "$work/logs/smoke.log"
! grep -q '"classic"\|sort: begun' "$work/lost.json" "$work/logs/smoke.log" || fail "it goes on without a base"
CVL_CUDA_HOST_LOSE=8 run 1 lost --only=classic --logs "$work/logs"
expect_verdict smoke failed 'scan of 33 tiles: the CUDA device failed in kernel of tiles, 264 blocks, site 0'
! grep -q 'sort: begun' "$work/logs/smoke.log" || fail "the smoke does not stop"
expect '"name": "classic"' "$work/lost.json"

# A step that hangs; and a run that is stopped in that step, and continues.
mv "$bundle/bin/compare_paths" "$work"
cat > "$bundle/bin/compare_paths" << 'END'
#!/bin/bash
echo "arguments $*" >> "$(dirname "$0")/calls"
echo "seed 5: NESL_TEST_SEED=5 repeats this run"
sleep 100
END
chmod +x "$bundle/bin/compare_paths"
name=hang
GPU_CHECK_STEP_SECONDS=3 run 1 hang --from=random --only=random,memcheck
expect_verdict random 'timed out' '"repeated": [{"test": "--seed 5", "synchronized": "timed out'
expect 'arguments --backend=cuda-host --host-limit=0 --seconds=5 --seed 5' "$bundle/bin/calls"
expect_verdict memcheck 'not available' ''
name=resumed
"$bundle/run" --quick --backend=cuda-host "--out=$work/resumed.json" --only=random,classic > "$work/log" 2>&1 &
for ((k = 0; k < 600; k++)); do
  ! grep -qsF '"next": "random"' "$work/resumed.json" || break
  sleep 0.1
done
kill %1
! wait %1 || fail "a run that is stopped succeeds"
expect_verdict random interrupted ''
expect '"next": "random"' "$work/resumed.json"
mv "$work/compare_paths" "$bundle/bin"
sed -i 's/^  "benchmarks": null/  "benchmarks": {\n  "library": "another",\n  "seconds": 7\n}/' "$work/resumed.json"
run 0 resumed --from random --only=random,classic
for step in smoke random classic; do expect_verdict $step passed ''; done
expect '"library": "cvl-cuda on the host' "$work/resumed.json"
expect '"seconds": 7' "$work/resumed.json"
if "$bundle/run" --backend=cuda-host "--out=$work/none/x.json" > "$work/log" 2>&1; then fail "results that cannot be written are lost"; fi
expect '/none/x.json cannot be written' "$work/log"
if "$bundle/run" --from nowhere > "$work/log" 2>&1; then fail "it begins nowhere"; fi
expect 'there is no step nowhere; the steps are device smoke' "$work/log"

# A sanitizer whose first tool reports something and then takes too long, and whose second tool only takes too long; and
# a sanitizer that the machine refuses.
cat > "$work/sanitizer" << 'END'
#!/bin/bash
echo "========= COMPUTE-SANITIZER"
[[ $* != *device_smoke* ]] || exit 0
echo "[       OK ] A.Test (1 ms)"
[[ $2 != memcheck ]] || echo "========= Invalid __global__ read of size 4 bytes"
exec sleep 100
END
printf '#!/bin/bash\necho "========= Error: device not supported"\nexit 1\n' > "$work/refused"
chmod +x "$work/sanitizer" "$work/refused"
name=sanitized
GPU_CHECK_STEP_SECONDS=3 GPU_CHECK_SANITIZER=$work/sanitizer run 1 sanitized --from=memcheck
expect_verdict memcheck failed 'Invalid __global__ read of size 4 bytes'
expect_verdict racecheck partial '1 tests passed before the time ran out'
name=refused
GPU_CHECK_SANITIZER=$work/refused run 0 refused --from=memcheck
expect_verdict memcheck 'not available' 'this machine refuses it: ========= Error: device not supported'

# ---- no device

no_device() { # NAME DETAIL
  name=$1
  if LD_LIBRARY_PATH=$driver "$bundle/run" "--out=$work/$1.json" > "$work/log" 2>&1; then fail "$1: it runs without a device"; fi
  expect_verdict device failed "$2"
}
mkdir "$work/no-driver"
echo "no library" > "$work/no-driver/libcuda.so.1"
driver=$work/no-driver no_device no_driver 'there is no NVIDIA driver on this machine'
driver=$build/nesl-tests/gpu-check/fake-driver
FAKE_CUDA_VERSION=12040 FAKE_CUDA_DEVICES=1 no_device old 'the driver is too old: it supports CUDA 12.4, and CUDA 13.0 is needed'
no_device none 'there is no CUDA device'
rm -f "$bundle/bin/libcvl-cuda.so"
name=library
if FAKE_CUDA_DEVICES=1 LD_LIBRARY_PATH=$driver "$bundle/run" "--out=$work/library.json" > "$work/log" 2>&1; then fail "it runs without a library"; fi
expect_verdict device passed 'Fake 0, compute capability 9.0'
expect_verdict smoke failed 'libcvl-cuda.so was not found'

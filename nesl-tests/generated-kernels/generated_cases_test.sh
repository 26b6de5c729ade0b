#!/bin/bash
# generated_cases_test.sh RUN_CASES CASES...: the case files at -O2 with every kernel generated, compiled by the
# compiler of the host, and run on both executors of the host; one case in four unless NESL_TEST_LONG is set. A kernel
# that is not compiled fails its case: the note about it is not in the expected output.
set -euo pipefail

run_cases=$1
shift
if [[ -z ${NESL_TEST_LONG:-} ]]; then
  export GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=0
fi
# The second executor finds the kernels that the first one compiled.
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export NESL_TEST_OPT=-O2 CVL_CUDA_KERNEL_ELEMENTS=1
for backend in cuda-host cuda-host-random; do
  NESL_TEST_VINTERP_ARGS="--backend=$backend --host-limit=0 --native=always --kernel-cache=$cache" "$run_cases" --gtest_brief=1 "$@"
done

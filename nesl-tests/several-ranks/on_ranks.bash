# Runs commands by several processes of an MPI library, for the tests beside this file, which source it with the folder of
# the programs in `bin` and "openmpi" or "mpich" in `library`. Exits with 77, and says why, if the library is not installed.
# Afterwards the test is in a folder of its own, and ends with `status`.

skip() { echo "[SKIP] $*"; exit 77; }
[[ -e $bin/libmpi-shim-$library.so ]] || skip "built without $library"
mpiexec=$(command -v "mpiexec.$library") || mpiexec=$(command -v mpiexec) || skip "there is no mpiexec"

# Open MPI refuses to run for root, and more ranks than processors, unless it is told.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export NESL_MPI=$library
# Ranks that wait let other processes of a busy machine go on.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
# The vectors of these programs are divided.
export NESL_MPI_BLOCK=64
"$mpiexec" -n 2 sleep 0.2 2> /dev/null || skip "$mpiexec does not start processes here"

tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
status=0
complain() {
  echo "FAILED: $*"
  status=1
}
# on RANKS COMMAND...: runs a command on some ranks. Its output is in out and err, its status in code.
on() {
  local ranks=$1
  shift
  timeout 120 "$mpiexec" -n "$ranks" "$@" > out 2> err
  code=$?
}
expect_output() { [[ -n $1 && $(cat out) == "$1" ]] || complain "$2: expected '$1', got '$(cat out)', and errors '$(cat err)'"; }
expect_code() { [[ $code == "$1" ]] || complain "$2: status $code"; }
# expect_error TEXT TITLE: standard error has a line with the text, once.
expect_error() { [[ $(grep -cF -- "$1" err) == 1 ]] || complain "$2: expected '$1' once in '$(cat err)'"; }
# The processes of the ranks that run long.nesl of the test's folder.
processes() { pgrep -f "^$bin/nesl run $folder/long.nesl"; }
# await_processes COUNT SECONDS: waits until there are so many of them; fails after some seconds. A busy machine starts processes, and
# removes ended ones, late.
await_processes() {
  local tries
  for ((tries = 0; tries < 10 * $2; ++tries)); do
    [[ $(processes | wc -l) != "$1" ]] || return 0
    sleep 0.1
  done
  return 1
}

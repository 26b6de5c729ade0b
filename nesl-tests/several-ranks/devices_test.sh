#!/bin/bash
# devices_test.sh BIN LIBRARY: runs programs by several processes of an MPI library, "openmpi" or "mpich", each with a
# device: the host executor of cvl-cuda, which has four. Exits with 77, and says why, if the MPI library is not installed.
set -uo pipefail

bin=$1 library=$2
source "$(dirname "$0")/on_ranks.bash"
nesl() { on "$1" "$bin/nesl" run --backend=cuda-host --native=off "${@:2}"; }

# Sums of floats have the bits of processors.
cat > numbers.nesl << 'END'
function squares(n) = {x * x : x in [0:n]};
let a = squares(1000);
    b = sort(reverse(a));
    c = {rand(x + 1) : x in a}
in (sum(a), all({x == y : x in a; y in b}), sum({float(x) / 7.0 : x in a}), sum(c), {x in a | rem(x, 1000) == 1},
    a -> {rem(x, 1000) : x in b});
END
cp "$tests/pieces.nesl" .
for program in numbers pieces; do
  "$bin/nesl" run --backend=cpu --pieces=20000 $program.nesl > alone
  for ranks in 2 3; do
    nesl $ranks --pieces=20000 $program.nesl
    expect_code 0 "$program on $ranks ranks"
    expect_output "$(cat alone)" "$program on $ranks ranks"
  done
done
nesl 2 --profile numbers.nesl
grep -qE '^most copies of a rank: [1-9][0-9]* to its device, of [1-9][0-9]* bytes, ' err || complain "a profile: $(cat err)"

# Compiled kernels run on the devices, and those that sum floats on the processors.
cat > kernels.nesl << 'END'
function go(n) =
  let a = {rem(i * 7919, 10007) : i in [0:n]};
      b = {max(3 * x + 1, x * x) : x in a}
  in (max_val(b), sum({float(x) / 7.0 : x in b}), #{x in b | rem(x, 3) == 0});
go(5000);
END
"$bin/nesl" run --backend=cpu kernels.nesl > alone
on 2 "$bin/nesl" run --backend=cuda-host --native=always kernels.nesl
expect_output "$(cat alone)" "compiled kernels"
[[ ! -s err ]] || complain "compiled kernels: $(cat err)"

cat > statements << 'END'
a = [0:1000];
sum(a);
a[1000];
let b = {x * x : x in a} in b[999];
END
"$bin/nesl" repl < statements > alone 2> errors_alone
on 2 "$bin/nesl" repl --backend=cuda-host < statements
expect_output "$(cat alone)" "a session"
expect_error "$(head -n 1 errors_alone)" "a session"

# The message of one process, once.
cat > fault.nesl << 'END'
function go(n) = let a = [0:n]; b = {100 / (x - 57) : x in a} in sum(b);
go(1000);
END
nesl 2 fault.nesl
expect_code 1 "a fault"
expect_error "fault.nesl:1:38: run-time error in go: Divide by zero." "a fault"
expect_error "at element [57]" "a fault"

# Each rank of a machine has a device of its own, or one of those that are named.
CVL_CUDA_HOST_LOSE=5:1 nesl 2 numbers.nesl
expect_code 1 "a lost device"
grep -qE "^rank 1 on [^:]+: numbers.nesl:[0-9]+:[0-9]+: " err || complain "a lost device: $(cat err)"
for devices in 0 0,2 3,2; do
  CVL_CUDA_HOST_LOSE=5:1 nesl 2 --devices=$devices numbers.nesl
  expect_code 0 "devices $devices"
done
CVL_CUDA_HOST_LOSE=5:1 nesl 2 --devices=2,1 numbers.nesl
expect_code 1 "a lost device among those named"
nesl 2 --devices=1,7 numbers.nesl
expect_code 1 "a device that does not exist"
expect_error "rank 1: devices: there is no device 7: devices are numbered from 0 to 3" "a device that does not exist"
on 2 "$bin/nesl" run --backend=cpu --devices=0 numbers.nesl
expect_code 1 "devices of processors"
expect_error "backend 'cpu' has no devices to choose among" "devices of processors"

# Vectors that do not fit into a device's memory together, and one that does not fit.
cat > memory.nesl << 'END'
function go(n) = let a = [0:n]; b = {x * x : x in a}; c = {x + y : x in a; y in b}
  in (sum(a), sum(b), sum(c), #(sort(reverse(c))));
go(100000);
END
"$bin/nesl" run --backend=cpu memory.nesl > alone
nesl 2 --memory=8M memory.nesl
expect_output "$(cat alone)" "little memory"
nesl 2 --memory=500K memory.nesl
expect_code 1 "no memory"
grep -q "out of memory" err || complain "no memory: $(cat err)"
exit $status

#!/bin/bash
# several_ranks_test.sh BIN EXAMPLES LIBRARY LOSE: runs programs by several processes of an MPI library, "openmpi" or "mpich",
# as a user does. LOSE is the library of lose_messages.cpp. Exits with 77, and says why, if the MPI library is not installed.
set -uo pipefail

bin=$1 examples=$2 library=$3 lose=$4
source "$(dirname "$0")/on_ranks.bash"

cat > numbers.nesl << 'EOF'
function squares(n) = {x * x : x in [0:n]};
let a = squares(1000);
    b = sort(reverse(a));
    c = {rand(x + 1) : x in a}
in (sum(a), all({x == y : x in a; y in b}), sum({float(x) / 7.0 : x in a}), sum(c));
EOF
"$bin/nesl" run numbers.nesl > alone
on 2 "$bin/nesl" run numbers.nesl
expect_code 0 "a program"
expect_output "$(cat alone)" "a program"

on 2 "$bin/nesl" run "$examples/sparse_matrix.nesl"
expect_output "$(cat "$examples/expected/sparse_matrix.txt")" "an example"

# Rank 0 reads standard input, the program itself included.
cat > read.vcode << 'EOF'
FUNC MAIN
READ INT
READ SEGDES
READ CHAR
RET
EOF
{
  echo "( $(seq -s ' ' 1 300) )"
  echo "[ $(yes 2 | head -n 150 | tr '\n' ' ') ]"
  echo '"some text"'
} > values
"$bin/vinterp" read.vcode < values > alone
on 2 "$bin/vinterp" read.vcode < values
expect_output "$(cat alone)" "standard input"
on 2 "$bin/nesl" run - <<< 'sum({x * 2 : x in [0:100]});'
expect_output "it = 9900 : int" "a program from standard input"
cat > statements << 'EOF'
a = [0:1000];
sum(a);
a[1000];
let b = {x * x : x in a} in b[999];
EOF
"$bin/nesl" repl < statements > alone 2> errors_alone
on 2 "$bin/nesl" repl < statements
expect_output "$(cat alone)" "a session"
expect_error "$(head -n 1 errors_alone)" "a session"

# Short files are written and read by rank 0 alone.
cat > files.nesl << 'EOF'
write_npy({sqrt(float(x)) : x in [0:500]}, "roots.npy");
sum({x * x : x in read_npy([0.0], "roots.npy")});
EOF
"$bin/nesl" run files.nesl > alone 2> errors_alone
rm -f roots.npy
on 2 "$bin/nesl" run files.nesl
expect_output "$(cat alone)" "files"

# Rank 0 keeps a vector until it writes the file. Memory is then too short for the kernel, but not for its steps: all
# ranks take that way, or they would wait for different messages.
cat > held.fcode << 'EOF'
FCODE 1
KERNEL 0 roots (x FLOAT s SEGDES) OVER s
y = SQRT x
z = SQRT y
t = MAX_REDUCE FLOAT z s
OUT z t
RET
FUNC MAIN
CONST CHAR "held.npy"  CONST CHAR "npy"  CONST CHAR "[float]"  CONST INT 2  FOPEN_AS  POP 2 0
CONST FLOAT 2.0  CONST INT 100000  MAKE_SEGDES  DIST FLOAT
CONST INT 100000  MAKE_SEGDES  COPY 1 2  FWRITE SEGDES  POP 2 0
COPY 1 1  FWRITE FLOAT  POP 2 0
CONST FLOAT 3.0  CONST INT 100000  MAKE_SEGDES  DIST FLOAT
CONST INT 100000  MAKE_SEGDES  FUSED 0
POP 1 1  COPY 1 1  FCLOSE  POP 2 0  POP 1 1
RET
EOF
"$bin/vinterp" held.fcode > alone
for memory in 900K 1100K 1300K; do
  rm -f held.npy
  on 2 "$bin/vinterp" --memory=$memory held.fcode
  expect_output "$(cat alone)" "a file with $memory"
  [[ $(wc -c < held.npy) == 800128 ]] || complain "a file with $memory: held.npy has $(wc -c < held.npy) bytes"
done
on 2 "$bin/vinterp" --memory=700K held.fcode
expect_code 1 "a file without memory"
expect_error "DIST FLOAT: out of memory" "a file without memory"

# Errors of programs and of their data: the message of one process, once.
echo 'sum({x + : x in [0:3]});' > wrong.nesl
on 2 "$bin/nesl" run wrong.nesl
expect_code 1 "a wrong program"
expect_error "wrong.nesl:1:10: error" "a wrong program"
cat > fault.nesl << 'EOF'
function go(n) = let a = [0:n]; b = {100 / (x - 57) : x in a} in sum(b);
go(1000);
EOF
on 2 "$bin/nesl" run fault.nesl
expect_code 1 "a fault"
expect_error "fault.nesl:1:38: run-time error in go: Divide by zero." "a fault"
expect_error "at element [57]" "a fault"
[[ ! -s out ]] || complain "a fault: output '$(cat out)'"

# Calls in pieces: a recursion, a fault that one rank finds in its pieces, and a rank without memory for a piece.
cp "$tests/pieces.nesl" .
"$bin/nesl" run --pieces=20000 pieces.nesl > alone
on 3 "$bin/nesl" run --pieces=20000 --profile pieces.nesl
expect_output "$(cat alone)" "calls in pieces"
expect_error "pieces: outcomes" "calls in pieces"
cat > fault_in_piece.nesl << 'EOF'
function parts(n, d) = {i / d : i in [0:n]};
sum({sum(parts(rem(k, 9), 2900 - k)) : k in [0:3000]});
EOF
"$bin/nesl" run --pieces=2000 fault_in_piece.nesl 2> errors_alone
on 3 "$bin/nesl" run --pieces=2000 fault_in_piece.nesl
expect_code 1 "a fault in a piece"
[[ $(cat err) == "$(cat errors_alone)"* ]] || complain "a fault in a piece: '$(cat err)', not '$(cat errors_alone)'"
cat > large_piece.nesl << 'EOF'
sum({max_val(sort({rem(i * k, 1009) : i in [0:if k == 299 then 4000000 else 10]})) : k in [0:300]});
EOF
on 2 "$bin/nesl" run --int=32 --pieces=2000 --memory=8M large_piece.nesl
[[ $code != 0 ]] || complain "no memory for a piece: status 0, '$(cat out)'"
expect_error "out of memory" "no memory for a piece"

# A rank that loses messages tells where, with its name; the job ends.
cat > lost.nesl << 'EOF'
function places(n) = {rem(i * 7, n) : i in [0:n]};
function fetched(a) = a -> places(#a);
function sorted(a) = sort(a);
function go(n, a) = if n == 0 then a else go(n - 1, fetched(sorted(a)));
sum(go(100, [0:2000]));
EOF
for _ in 1 2 3; do
  at=$((RANDOM % 200 + 1))
  timeout 60 "$mpiexec" -n 1 "$bin/nesl" run lost.nesl : -n 1 env LD_PRELOAD="$lose" NESL_LOSE_AT=$at "$bin/nesl" run lost.nesl \
    > out 2> err
  code=$?
  expect_code 1 "lost messages, call $at"
  grep -qE "^rank 1 on [^:]+: lost.nesl:[23]:[0-9]+: run-time error in (fetched|sorted): messages between ranks are lost: " err ||
    complain "lost messages, call $at: $(cat err)"
done

# Ranks that differ do not wait for each other.
timeout 60 "$mpiexec" -n 1 "$bin/nesl" run numbers.nesl : -n 1 "$bin/nesl" run --int=32 numbers.nesl > out 2> err
code=$?
expect_code 1 "different command lines"
expect_error "rank 1 runs with another command line than rank 0" "different command lines"
mkdir other
for file in "$bin"/lib*.so; do ln -s "$file" other; done
for file in nesl libcvl-cpu.so; do
  rm -f other/$file
  cp -f "$bin/nesl" other
  cp -f "$bin/$file" other
  echo >> other/$file
  timeout 60 "$mpiexec" -n 1 "$bin/nesl" run numbers.nesl : -n 1 other/nesl run numbers.nesl > out 2> err
  code=$?
  expect_code 1 "another $file"
  if [[ $file == nesl ]]; then difference="another binary"; else difference="with other vector libraries"; fi
  expect_error "rank 1 runs $difference than rank 0" "another $file"
done

# A launcher that sets the variables of srun: its own, and those of PMIx or PMI.
cat > like_srun << 'EOF'
#!/bin/bash
export SLURM_NTASKS=2 SLURM_PROCID=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
unset NESL_MPI ${!OMPI_COMM_WORLD@}
exec "$@"
EOF
chmod +x like_srun
"$bin/nesl" run numbers.nesl > alone
on 2 ./like_srun "$bin/nesl" run --profile numbers.nesl
expect_code 0 "a launcher like srun"
expect_output "$(cat alone)" "a launcher like srun"
expect_error "messages of            calls    rounds" "a launcher like srun"

on 2 "$bin/nesl" run --profile numbers.nesl
expect_error "messages of            calls    rounds" "a profile"
expect_error "work of a rank in operations, ms: least " "a profile"
on 2 "$bin/nesl" run --profile=html --trace-out=t.json numbers.nesl
expect_code 0 "files of a profile"
[[ $(grep -c '</html>' profile.html) == 1 && $(tail -c 4 t.json) == $'\n]}' ]] || complain "files of a profile: $(tail -3 t.json)"
on 2 "$bin/nesl" run --trace-out=nowhere/t.json numbers.nesl
expect_code 1 "a trace that cannot be written"
expect_error "nowhere/t.json" "a trace that cannot be written"
echo ':explain let a = [0:1000] in sum(a -> reverse(a))' > explain
on 2 "$bin/nesl" repl < explain
grep -q 'between ranks, of vectors that are divided:' out || complain "an explanation: $(cat out)"
grep -q '<explain>:1:.*: BPERMUTE.*: positions to the ranks of the elements, and the elements back' out ||
  complain "an explanation: $(cat out)"

# A rank that is killed, and an interrupt, end the job within five seconds.
cat > long.nesl << 'EOF'
function go(n, x) = if n == 0 then x else go(n - 1, rem(sum({rem(y * x + n, 1009) : y in [0:1000]}), 1009));
go(1000000000, 1);
EOF
cat > long_pieces.nesl << 'EOF'
function go(n, x) = if n == 0 then x else go(n - 1, rem(sum({rem(y * x + n, 1009) : y in [0:100]}), 1009));
sum({go(k * 1000000, k) : k in [100:400]});
EOF
on 2 "$bin/nesl" run --timeout=1 --pieces=200 long_pieces.nesl
[[ $code != 0 && $code != 124 ]] || complain "a timeout in pieces: status $code"
expect_error "the time given by --timeout is over" "a timeout in pieces"
for signal in KILL INT; do
  "$mpiexec" -n 2 "$bin/nesl" run "$folder/long.nesl" > out 2> err &
  job=$!
  await_processes 2 60
  sleep 0.5
  start=$SECONDS
  if [[ $signal == KILL ]]; then kill -KILL "$(processes | tail -n 1)"; else kill -INT $job; fi
  wait $job
  # After an interrupt, the status is mpiexec's own, with Hydra sometimes 0.
  [[ $? != 0 || $signal == INT ]] || complain "$signal: status 0"
  ((SECONDS - start <= 5)) || complain "$signal: the job ended after $((SECONDS - start)) seconds"
  await_processes 0 5 || complain "$signal: processes are left"
done

# The command starts mpiexec itself.
mkdir path
if [[ $library == openmpi ]]; then
  ln -s "$mpiexec" path/mpiexec
else  # looks for its other programs beside itself
  printf '#!/bin/sh\nexec %s "$@"\n' "$mpiexec" > path/mpiexec
  chmod +x path/mpiexec
fi
PATH=$folder/path:$PATH timeout 60 "$bin/nesl" run --ranks 2 numbers.nesl > out 2> err
code=$?
"$bin/nesl" run numbers.nesl > alone
expect_code 0 "--ranks"
expect_output "$(cat alone)" "--ranks"
set -m  # in a process group, to which a terminal sends Ctrl-C
PATH=$folder/path:$PATH "$bin/nesl" run --ranks 2 "$folder/long.nesl" > out 2> err &
job=$!
set +m
await_processes 2 60
sleep 0.5
kill -INT -- -$job
wait $job
code=$?
expect_code 130 "Ctrl-C of --ranks"
await_processes 0 5 || complain "Ctrl-C of --ranks: processes are left"
rm path/mpiexec
PATH=$folder/path "$bin/nesl" run --ranks=2 numbers.nesl > out 2> err
code=$?
expect_code 1 "--ranks without mpiexec"
expect_error "--ranks needs mpiexec, which is not in PATH; install Open MPI" "--ranks without mpiexec"
exit $status

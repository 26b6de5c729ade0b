#!/bin/bash
# lossy_network_test.sh BIN EXAMPLES LIBRARY: runs programs by processes of an MPI library, "openmpi" or "mpich", in two network
# namespaces, which exchange packets over TCP only, through a link that delays and loses some. Exits with 77, and says why, if the
# library is not installed, or the system does not permit that.
set -uo pipefail

bin=$1 examples=$2 library=$3
tests=$(realpath "$(dirname "$0")")
source "$tests/on_ranks.bash"

[[ $(id -u) == 0 ]] || skip "only root makes network namespaces"
[[ -c /dev/net/tun ]] || skip "there is no /dev/net/tun"
near=nesl-near-$$ far=nesl-far-$$ link=
clean_up() {
  [[ -z $link ]] || kill "$link" 2> /dev/null
  wait
  ip netns del "$near" 2> /dev/null
  ip netns del "$far" 2> /dev/null
  rm -rf "$folder"
}
trap clean_up EXIT
{ ip netns add "$near" && ip netns add "$far"; } 2> /dev/null || skip "the system permits no network namespaces"
"$tests/lossy_link.py" "$near" 10.99.0.1/24 "$far" 10.99.0.2/24 --delay 1 --loss 1 > link 2> link_errors &
link=$!
for ((tries = 0; tries < 100; ++tries)); do
  [[ $(cat link 2> /dev/null) != ready ]] || break
  kill -0 $link 2> /dev/null || break
  sleep 0.1
done
[[ $(cat link) == ready ]] || skip "no link between the namespaces: $(tail -n 1 link_errors)"

# inside NAMESPACE COMMAND...: with a name of the host of its own, by which MPI libraries tell hosts apart.
cat > inside << 'END'
#!/bin/bash
exec ip netns exec "$1" unshare --uts bash -c 'hostname "$1" && exec "${@:2}"' - "$@"
END
# agent [OPTION...] ADDRESS COMMAND: in place of ssh.
cat > agent << END
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
[[ \$1 == 10.99.0.1 ]] && namespace=$near || namespace=$far
exec "$folder/inside" \$namespace bash -c "\${*:2}"
END
if [[ $library == openmpi ]]; then
  options="--mca plm_rsh_agent $folder/agent --mca btl tcp,self --mca btl_tcp_if_include lossy --host 10.99.0.1:2,10.99.0.2:2
    --map-by node -x NESL_MPI -x NESL_MPI_BLOCK"
else
  # Without shared memory, which reaches from one namespace to the other.
  export UCX_TLS=tcp,self MPIR_CVAR_NOLOCAL=1
  options="-launcher ssh -launcher-exec $folder/agent -hosts 10.99.0.1,10.99.0.2"
fi
printf '#!/bin/bash\nexec "%s" %s "%s" %s "$@"\n' "$folder/inside" "$near" "$mpiexec" "$(echo $options)" > mpiexec
chmod +x inside agent mpiexec
mpiexec=$folder/mpiexec

on 2 hostname
expect_code 0 "names of hosts"
sort -o out out
expect_output "$(printf '%s\n' "$far" "$near")" "names of hosts"

cat > numbers.nesl << 'EOF'
function squares(n) = {rem(x * x, 10007) : x in [0:n]};
let a = squares(20000);
    b = sort(reverse(a));
    c = {rand(x + 1) : x in a}
in (sum(a), b[777], sum({float(x) / 7.0 : x in a -> reverse(a)}), sum(c));
write_npy({sqrt(float(x)) : x in [0:20000]}, "roots.npy");
sum({x * x : x in read_npy([0.0], "roots.npy")});
EOF
"$bin/nesl" run numbers.nesl > alone
for ranks in 2 4; do
  on $ranks "$bin/nesl" run --profile numbers.nesl
  expect_code 0 "a program on $ranks ranks"
  expect_output "$(cat alone)" "a program on $ranks ranks"
  expect_error "messages of            calls    rounds" "a program on $ranks ranks"
done
on 2 "$bin/nesl" run "$examples/quicksort.nesl"
expect_output "$(cat "$examples/expected/quicksort.txt")" "an example"

echo 'let a = [0:10000]; b = {100 / (x - 9007) : x in a} in sum(b);' > fault.nesl
on 2 "$bin/nesl" run fault.nesl
expect_code 1 "a fault"
expect_error "run-time error: Divide by zero." "a fault"
expect_error "at element [9007]" "a fault"

# A rank of the far namespace that is killed ends the job.
cat > long.nesl << 'EOF'
function go(n, x) = if n == 0 then x else go(n - 1, rem(sum({rem(y * x + n, 1009) : y in [0:1000]}), 1009));
go(1000000000, 1);
EOF
"$mpiexec" -n 2 "$bin/nesl" run "$folder/long.nesl" > out 2> err &
job=$!
await_processes 2 60
sleep 1
start=$SECONDS
for process in $(processes); do
  [[ $(ip netns identify "$process") != "$far" ]] || kill -KILL "$process"
done
wait $job && complain "a killed rank: status 0"
((SECONDS - start <= 5)) || complain "a killed rank: the job ended after $((SECONDS - start)) seconds"
await_processes 0 5 || complain "a killed rank: processes are left"

kill "$link"
wait "$link"
link=
read -r packets _ lost _ < <(tail -n 1 link)
echo "$packets packets, $lost of them lost"
((packets > 1000 && lost > 0)) || complain "the link: $(cat link)"
exit $status

#!/bin/bash
# cuda_skew_test.sh CUDA_BENCH SKEW_PLOT PYTHON: measures the operations over skewed segments on the host executor, which
# checks that they run, and draws them.
set -euo pipefail

cuda_bench=$1 skew_plot=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cuda_bench" --backend=cuda-host --only=skew --quick --elements=20000 "--json=$work/skew.json" > "$work/log" ||
  { cat "$work/log" >&2; exit 1; }
grep -qF '0 programs and 12 operations measured' "$work/log" || { cat "$work/log" >&2; exit 1; }
"$python" - "$work/skew.json" << 'END'
import json
import sys

rows = json.load(open(sys.argv[1], encoding="utf-8"))["skew"]
facts = {row["shape"]: (row["segments"], row["longest_segment"]) for row in rows if row["operation"] == "sum"}
assert facts["equal16"] == (1250, 16) and facts["equal1000"] == (20, 1000), facts
assert facts["long_row"] == (626, 10000), facts
assert 1000 < facts["power_law"][1] <= 2000 and 1000 < facts["power_law"][0] < 10000, facts
assert all(row["seconds"] > 0 for row in rows), rows
END
"$python" "$skew_plot" "$work/skew.json" "$work/skew.svg"

#!/bin/bash
# skew_plot_test.sh SKEW_PLOT PYTHON: draws a record of cuda_bench and one of gpu-check, and refuses others.
set -euo pipefail

skew_plot=$1 python=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "skew_plot_test: $*" >&2
  exit 1
}

cat > "$work/bench.json" << 'END'
{"library": "cvl-cuda", "device": {"name": "NVIDIA Example"}, "skew": [
  {"operation": "sum", "type": "f32", "shape": "equal16", "elements": 1000, "seconds": 1e-8, "peer_seconds": 2e-8, "times_peer": 0.5},
  {"operation": "scan", "type": "f32", "shape": "long_row", "elements": 1000, "seconds": 3e-9},
  {"operation": "rank", "type": "i32", "shape": "power_law", "elements": 1000, "error": "out of memory"}]}
END
"$python" "$skew_plot" "$work/bench.json" "$work/bench.svg" > "$work/log"
# The background, two entries of the legend, two bars of the sum and one of the scan.
"$python" - "$work/bench.svg" << 'END'
import sys
import xml.etree.ElementTree

root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
name = "{http://www.w3.org/2000/svg}"
widths = [float(bar.get("width")) for bar in root.findall(name + "rect")[3:]]
texts = [text.text for text in root.findall(name + "text")]
assert len(widths) == 3 and widths[0] < widths[1] and widths[2] < widths[0], widths
assert "10 ps, 0.5 x CUB" in texts and "3 ps" in texts, texts
assert any("NVIDIA Example" in text for text in texts), texts
END
printf '{"steps": [], "skew": %s, "benchmarks": null}\n' "$(cat "$work/bench.json")" > "$work/check.json"
"$python" "$skew_plot" "$work/check.json" "$work/check.svg" > "$work/log"
cmp "$work/bench.svg" "$work/check.svg" || fail "the step of gpu-check is drawn otherwise"

for text in '{"skew": null}' '{"skew": []}' 'no JSON' '{"skew": [{"operation": "sum", "error": "lost"}]}'; do
  echo "$text" > "$work/other.json"
  if "$python" "$skew_plot" "$work/other.json" "$work/other.svg" 2> "$work/log"; then fail "it draws $text"; fi
  grep -qF "skew_plot.py: $work/other.json" "$work/log" || { cat "$work/log" >&2; fail "no message about $text"; }
  ! grep -q Traceback "$work/log" || fail "no sentence about $text"
done

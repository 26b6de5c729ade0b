#!/usr/bin/env python3
"""Draws how the time of segmented operations on a GPU depends on the lengths of segments, beside CUB's.

    bench/skew_plot.py gpu-check.json skew.svg
    bench/skew_plot.py cuda_bench.json skew.svg

takes the step skew of scripts/gpu-check, or the results of cuda_bench --only=skew."""

import argparse
import json
import math
import sys

from report import svg_text

OPERATIONS = [("sum", "segmented sum"), ("scan", "segmented scan"), ("rank", "RANK (sort)")]
SHAPES = [("equal16", "16 each"), ("equal1000", "1000 each"), ("power_law", "power law"), ("long_row", "one half, others 16")]
OURS, PEER = "#1f77b4", "#bbb"
# Pixels: height of a bar, gaps, left edge of the bars, top edge, width of a factor of ten.
BAR, GAP, LEFT, TOP, DECADE = 11, 7, 190, 70, 110


def skew_of(record):
    """The results of cuda_bench with rows about skew: the record itself, or that of a step of gpu-check."""
    for results in (record.get("skew"), record):
        if isinstance(results, dict) and isinstance(results.get("skew"), list) and results["skew"]:
            return results
    return None


def picoseconds(row, key):
    return row[key] / row["elements"] * 1e12 if key in row else None


def plot(results):
    """The plot as SVG: for each operation and shape two bars on a logarithmic axis, and how many times CUB's time that is."""
    rows = {(row["operation"], row["shape"]): row for row in results["skew"] if "seconds" in row}
    values = [ps for row in rows.values() for key in ("seconds", "peer_seconds") if (ps := picoseconds(row, key))]
    first = math.floor(math.log10(min(values)))
    last = max(first + 1, math.ceil(math.log10(max(values))))

    def x_of(ps):
        return LEFT + max(0.0, math.log10(ps) - first) * DECADE

    body, y = [], TOP
    for operation, title in OPERATIONS:
        body.append(svg_text(10, y + BAR, title, size=12))
        y += BAR + GAP
        for shape, label in SHAPES:
            row = rows.get((operation, shape))
            if row is None:
                continue
            body.append(svg_text(LEFT - 6, y + BAR + 3, label, anchor="end"))
            bars = [(picoseconds(row, "seconds"), OURS), (picoseconds(row, "peer_seconds"), PEER)]
            bars = [(ps, color) for ps, color in bars if ps]
            for at, (ps, color) in enumerate(bars):
                body.append(f'<rect x="{LEFT}" y="{y + at * BAR}" width="{x_of(ps) - LEFT:.1f}" height="{BAR - 1}" fill="{color}"/>')
            end = max(x_of(ps) for ps, _ in bars) + 6
            ratio = f', {row["times_peer"]:.2g} x CUB' if "times_peer" in row else ""
            body.append(svg_text(end, y + BAR + 3, f"{bars[0][0]:.3g} ps{ratio}", size=10))
            y += 2 * BAR + GAP
    axis = []
    for decade in range(first, last + 1):
        x = x_of(10.0 ** decade)
        axis.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{y}" stroke="#ddd"/>')
        axis.append(svg_text(x, TOP - 10, f"{10.0 ** decade:g} ps", size=10, anchor="middle"))
    legend = [f'<rect x="{LEFT}" y="32" width="10" height="10" fill="{OURS}"/>', svg_text(LEFT + 14, 41, "cvl-cuda"),
              f'<rect x="{LEFT + 90}" y="32" width="10" height="10" fill="{PEER}"/>', svg_text(LEFT + 104, 41, "CUB")]
    device = results.get("device", {}).get("name", "no device: the host executor")
    elements = max(row["elements"] for row in rows.values())
    heading = f"Time of an element by the lengths of segments, {elements:,} elements ({device})"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + (last - first) * DECADE + 180}" height="{y + 20}" '
        'font-family="sans-serif">', '<rect width="100%" height="100%" fill="#fff"/>',
        svg_text(10, 20, heading, size=13), *legend, *axis, *body, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", help="gpu-check.json, or the JSON of cuda_bench")
    parser.add_argument("plot", help="the SVG to write")
    args = parser.parse_args()
    try:
        with open(args.record, encoding="utf-8") as file:
            results = skew_of(json.load(file))
    except (OSError, ValueError) as failure:
        sys.exit(f"skew_plot.py: {args.record}: {failure}")
    if results is None or not any("seconds" in row for row in results["skew"]):
        sys.exit(f"skew_plot.py: {args.record} has no measurements of the step skew")
    with open(args.plot, "w", encoding="utf-8") as file:
        file.write(plot(results))
    print(f"wrote {args.plot}")


if __name__ == "__main__":
    main()

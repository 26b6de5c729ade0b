#!/usr/bin/env python3
"""Turns the JSON of vector_bench (and interp_bench) into a record of results: one JSON file with the machine it
was measured on, and one SVG plot; and puts a heading on tables that are recorded as they are. Usage: report.py
[--vector RAW] [--interp RAW] [--table NAME FILE]... --commit HASH --compiler TEXT --out PREFIX"""

import argparse
import datetime
import json
import os
import platform
import re
import statistics

COUNTERS = ["ns_per_element", "least_ns_per_element", "peer_ns_per_element", "bytes", "GB_per_s",
            "copy_GB_per_s", "of_copy", "times_peer", "samples"]
SERIES = [("flat", "#1f77b4"), ("seg10", "#d62728"), ("reg10", "#ff7f0e"), ("seg1000", "#2ca02c"), ("huge", "#9467bd")]


def cpu_model():
    """The name the kernel gives the processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def machine(context, compiler):
    """What the figures depend on; nothing that identifies the computer."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "caches": [{key: cache[key] for key in ("type", "level", "size", "num_sharing")}
                   for cache in context.get("caches", [])],
        "kernel": platform.release().split("-")[0],
        "compiler": compiler,
        "backends": sorted({text for key, text in context.items() if key.startswith("backend_")}),
    }


def vector_rows(raw):
    """One row for each benchmark of a vector operation."""
    rows = []
    for run in raw["benchmarks"]:
        name, elem, shape, size, threads = run["name"].split("/")[:5]
        row = {"operation": name, "type": elem, "shape": shape, "elements": int(size), "threads": int(threads[1:])}
        if run.get("error_occurred"):
            row["error"] = run["error_message"]
        else:
            row.update({key: float(f"{run[key]:.5g}") for key in COUNTERS})
        rows.append(row)
    return rows


def interp_rows(raw):
    """One row for each benchmark of the interpreter."""
    return [{"benchmark": run["name"].split("/iterations")[0], "ns": float(f"{run['ns']:.5g}")}
            for run in raw["benchmarks"] if not run.get("error_occurred")]


def svg_text(x, y, text, size=11, anchor="start"):
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}">{text}</text>'


def plot(rows, title):
    """One bar for each operation, type and shape at the largest size and number of threads: the share of the copy
    bandwidth reached, with a tick where the hand-written peer stands."""
    rows = [row for row in rows if "error" not in row]
    largest = max(row["elements"] for row in rows)
    threads = max(row["threads"] for row in rows)
    rows = [row for row in rows if row["elements"] == largest and row["threads"] == threads]
    groups = {}
    for row in rows:
        groups.setdefault(f'{row["operation"]} {row["type"]}', []).append(row)
    bar, gap, left, top, scale = 9, 6, 190, 70, 420
    colors = dict(SERIES)
    body, y = [], top
    for label, members in groups.items():
        body.append(svg_text(left - 6, y + bar * len(members) / 2 + 4, label, anchor="end"))
        for row in members:
            share = min(row["of_copy"], 1.6)
            peer = min(row["of_copy"] * row["times_peer"], 1.6)
            body.append(f'<rect x="{left}" y="{y}" width="{share * scale:.1f}" height="{bar - 1}" '
                        f'fill="{colors[row["shape"]]}"/>')
            body.append(f'<rect x="{left + peer * scale - 1:.1f}" y="{y - 1}" width="2" height="{bar + 1}" fill="#000"/>')
            body.append(svg_text(left + max(share, peer) * scale + 6, y + bar - 1,
                                 f'{row["ns_per_element"]:.3g} ns', size=9))
            y += bar
        y += gap
    axis = []
    for percent in range(0, 161, 20):
        x = left + percent / 100 * scale
        axis.append(f'<line x1="{x:.1f}" y1="{top - 6}" x2="{x:.1f}" y2="{y}" stroke="#ddd"/>')
        axis.append(svg_text(x, top - 10, f"{percent}%", size=10, anchor="middle"))
    legend, x = [], left
    for shape, color in SERIES:
        legend.append(f'<rect x="{x}" y="32" width="10" height="10" fill="{color}"/>')
        legend.append(svg_text(x + 14, 41, shape))
        x += 80
    legend.append(f'<rect x="{x}" y="31" width="2" height="12" fill="#000"/>')
    legend.append(svg_text(x + 6, 41, "hand-written peer"))
    heading = f"Share of copy bandwidth, {largest:,} elements, {threads} threads: {title}"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + 1.6 * scale + 90:.0f}" height="{y + 20}" '
        'font-family="sans-serif">', '<rect width="100%" height="100%" fill="#fff"/>',
        svg_text(10, 20, heading, size=13), *legend, *axis, *body, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vector")
    parser.add_argument("--interp")
    parser.add_argument("--table", nargs=2, action="append", default=[], metavar=("NAME", "FILE"))
    parser.add_argument("--commit", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()

    record = {"date": datetime.date.today().isoformat(), "commit": args.commit}
    context = {}
    if args.vector:
        with open(args.vector, encoding="utf-8") as file:
            raw = json.load(file)
        context = raw["context"]
        record["vector"] = vector_rows(raw)
    if args.interp:
        with open(args.interp, encoding="utf-8") as file:
            raw = json.load(file)
        context = {**raw["context"], **context}
        record["interp"] = interp_rows(raw)
    record["machine"] = machine(context, args.compiler)

    text = json.dumps(record, indent=1)
    # One row a line, so that two records can be compared with diff.
    text = re.sub(r"\{\s*\"(operation|benchmark)\"[^{}]*\}", lambda m: re.sub(r"\s+", " ", m.group(0)), text)
    with open(args.out + ".json", "w", encoding="utf-8") as file:
        file.write(text + "\n")
    rows = [row for row in record.get("vector", []) if "error" not in row]
    if rows:
        with open(args.out + ".svg", "w", encoding="utf-8") as file:
            file.write(plot(rows, record["machine"]["cpu"]))
        print(f'{len(rows)} vector benchmarks, median {statistics.median(r["times_peer"] for r in rows):.2f} times '
              f'the time of the peer, worst {max(r["times_peer"] for r in rows):.2f}')
    for name, path in args.table:
        with open(path, encoding="utf-8") as table, open(f"{args.out}-{name}.txt", "w", encoding="utf-8") as file:
            file.write(f"# commit {args.commit}, {cpu_model()}, {args.compiler}\n" + table.read())
    print(f"wrote {args.out}.json")


if __name__ == "__main__":
    main()

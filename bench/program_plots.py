"""The plots of a record of programs.py, drawn by gnuplot: ratios to the peers, times over sizes, and the gain by threads."""

import shutil
import subprocess

# How many small plots stand side by side.
ACROSS = 4


def core(record, name):
    """The median core time of a program in a column, or None."""
    column = record["columns"].get(name, {})
    return column["core"]["median"] if "core" in column else None


def quotient(record, above, below):
    """Of two columns' core times, or None."""
    a, b = core(record, above), core(record, below)
    return None if a is None or b is None or b == 0 else a / b


def draw(record, prefix):
    """Writes PREFIX.svg, PREFIX-sizes.svg and PREFIX-threads.svg."""
    if shutil.which("gnuplot") is None:
        print("no plots: gnuplot is missing (scripts/setup --plots installs it)")
        return
    draw_ratios(record, f"{prefix}.svg")
    draw_sizes(record, f"{prefix}-sizes.svg")
    draw_threads(record, f"{prefix}-threads.svg")


def gnuplot(script):
    subprocess.run(["gnuplot"], input=script, check=True, text=True)


def quoted(text):
    return text.replace("_", " ")


def draw_ratios(record, path):
    """The ratios to the peers as bars."""
    rows = [(row["name"].split("/")[1], quotient(row, "-O2", "peer")) for row in record["programs"]]
    rows = [(name, ratio) for name, ratio in rows if ratio]
    data = "\n".join(f'"{quoted(name)}" {ratio:.4g}' for name, ratio in reversed(rows))
    low = min(0.5, min(ratio for _, ratio in rows))
    gnuplot(f"""set terminal svg size 900,{60 + 18 * len(rows)} font "sans-serif,11" background "white"
set output "{path}"
set title "Core time at -O2 over that of the peer, one thread ({record['commit']})"
$rows << END
{data}
END
set logscale x
set xrange [{low / 1.2:.3g}:*]
set yrange [-0.7:{len(rows) - 0.3}]
set grid xtics
set lmargin 34
set arrow from 1,-0.7 to 1,{len(rows) - 0.3} nohead lw 2
unset key
plot $rows using (1):0:(1):2:($0-0.35):($0+0.35):ytic(1) with boxxyerror fs solid 0.7 lc rgb "#1f77b4", \\
     $rows using 2:0:(sprintf("  %.3g", $2)) with labels left
""")


def draw_small(path, settings, plots):
    """Small plots with lines for -O2 and the peer: {title: [(x, ours, the peer's)]}."""
    if not plots:
        return
    down = (len(plots) + ACROSS - 1) // ACROSS
    script = [f'set terminal svg size {ACROSS * 260},{down * 220} font "sans-serif,10" background "white"', f'set output "{path}"',
              f"set multiplot layout {down},{ACROSS}", "set grid", "set key left top", *settings]
    for i, (title, points) in enumerate(plots.items()):
        script += [f"$points{i} << END", *(f"{x} {ours:.5g} {theirs:.5g}" for x, ours, theirs in points), "END",
                   f'set title "{quoted(title)}"',
                   f'plot $points{i} using 1:2 with linespoints pt 7 ps 0.5 title "-O2", '
                   f'$points{i} using 1:3 with linespoints pt 7 ps 0.5 title "peer"', "unset key"]
    gnuplot("\n".join([*script, "unset multiplot", ""]))


def first_variants(record):
    """Of each program the first variant that has been measured."""
    rows = {}
    for row in record["programs"]:
        if quotient(row, "-O2", "peer"):
            rows.setdefault(row["name"].split(".")[0].split("/")[1], row)
    return rows


def draw_sizes(record, path):
    """Milliseconds over sizes."""
    plots = {}
    for name, row in first_variants(record).items():
        if row.get("sizes"):
            points = [*row["sizes"], {"size": row["size"], "-O2": core(row, "-O2"), "peer": core(row, "peer")}]
            plots[f"{name}, ms"] = [(point["size"], point["-O2"] * 1e3, point["peer"] * 1e3) for point in points]
    draw_small(path, ["set logscale xy", 'set format x "10^{%T}"', 'set format y "10^{%T}"', "set mxtics 1", "set mytics 1"], plots)


def draw_threads(record, path):
    """How many times as fast as with one thread, over threads."""
    counts = [name.split("x")[1] for name in record["columns"] if name.startswith("-O2 x")]
    plots = {}
    for name, row in first_variants(record).items():
        points = [(count, quotient(row, "-O2", f"-O2 x{count}"), quotient(row, "peer", f"peer x{count}")) for count in counts]
        points = [(1, 1.0, 1.0), *(point for point in points if None not in point)]
        if len(points) > 1:
            plots[name] = points
    most = counts[-1] if counts else 1
    draw_small(path, ["set xtics 1", f"set xrange [1:{most}]", f"set yrange [0:{1.15 * int(most)}]"], plots)

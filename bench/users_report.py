#!/usr/bin/env python3
"""What users.py says and keeps: the table of a run, the record in bench/results with its plot, docs/jagged.md, which is made of the last
record of the suite jagged and of libraries/page.txt, and the part of docs/benchmarks.md that is made of the last record of the suite users.
users_report.py [--check] writes docs/jagged.md, or says whether it is as it would be."""

import datetime
import json
import pathlib
import platform
import re
import shutil
import sys

import program_plots
import program_report

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "jagged.md"
OURS = "NESL"
COLORS = ["#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#7f7f7f", "#17becf"]


def seconds(record, name, converting=False):
    """What a library took for a task, perhaps with converting, or None."""
    return record["columns"].get(name, {}).get("converting" if converting else "seconds")


def others(record, converting=False):
    """What the other libraries took for a task: {name: seconds}."""
    found = {name: seconds(record, name, converting) for name in record["columns"] if name != OURS}
    return {name: taken for name, taken in found.items() if taken is not None}


def ratio(record, converting=False):
    """The time of NESL over that of the fastest other library, or None."""
    ours, theirs = seconds(record, OURS, converting), others(record, converting)
    return ours / min(theirs.values()) if ours is not None and theirs else None


def fastest(record, converting=False):
    theirs = others(record, converting)
    return min(theirs, key=theirs.get) if theirs else "-"


def milliseconds(taken):
    return "-" if taken is None else f"{taken * 1e3:.3g}" if taken < 1 else f"{taken * 1e3:.0f}"


def cells(record, names, converting=False):
    """A task's row: name, milliseconds of each library, ratio, the fastest other library."""
    times = ["failed" if "error" in record["columns"].get(name, {}) else milliseconds(seconds(record, name, converting)) for name in names]
    found = ratio(record, converting)
    return [record["name"], *times, "-" if found is None else f"{found:.2f}", fastest(record, converting)]


def titles(names):
    return ["task", *names, "ratio", "fastest other"]


def aligned(row):
    return f"{row[0]:<26}" + "".join(f"{cell:>14}" for cell in row[1:])


def heading(names):
    return aligned([*titles(names), "converting"])


def line(record, names):
    with_converting = ratio(record, True)
    text = aligned([*cells(record, names), "-" if with_converting is None else f"{with_converting:.2f}"])
    return "\n".join([text, *(f"    {name}: {column['error']}" for name, column in record["columns"].items() if "error" in column)])


def ahead(records, converting):
    found = [ratio(record, converting) for record in records]
    found = [number for number in found if number is not None]
    return f"{sum(number <= 1 for number in found)} of {len(found)}"


def summary(records):
    return (f"NESL is ahead of every other library in {ahead(records, False)} tasks, with conversions in {ahead(records, True)}.")


def footer(records, busy):
    return "\n".join([summary(records), "the machine was BUSY: " + "; ".join(busy["reasons"]) if busy["reasons"] else "the machine was quiet"])


def write_record(suite, folder, libraries, records, busy):
    """Writes the record of a run of all tasks and its plot."""
    modified = program_report.git("status", "--porcelain", "--untracked-files=no")
    commit = program_report.git("rev-parse", "--short", "HEAD") + ("-modified" if modified else "")
    now = datetime.datetime.now()
    versions = {library.name: library.missing or library.version for library in libraries}
    record = {"date": f"{now:%Y-%m-%d}", "time": f"{now:%H:%M:%S}", "commit": commit, "python": platform.python_version(),
              "machine": program_report.machine(program_report.compiler_of(folder)), "busy": busy, "versions": versions,
              "libraries": [library.name for library in libraries if not library.missing], "tasks": records}
    prefix = RESULTS / f"{record['date']}-{commit}-{suite.name}"
    # One library of a task a line, so that two records can be compared with diff.
    text = re.sub(r'("(?:[^"]*)": )(\{[^{}]*\})', lambda m: m[1] + re.sub(r"\s+", " ", m[2]), json.dumps(record, indent=1))
    pathlib.Path(f"{prefix}.json").write_text(text + "\n", encoding="utf-8")
    print(f"wrote {prefix}.json")
    if shutil.which("gnuplot") is None:
        print("no plot: gnuplot is missing (scripts/setup --plots installs it)")
    else:
        draw(record, f"{prefix}.svg")


def draw(record, path):
    """Of each task the times of the other libraries over that of NESL, as points."""
    rows = [row for row in reversed(record["tasks"]) if ratio(row)]
    names = [name for name in record["libraries"] if name != OURS]
    script = [f'set terminal svg size 900,{90 + 18 * len(rows)} font "sans-serif,11" background "white"', f'set output "{path}"',
              f'set title "Time over that of NESL, two threads, without conversions ({record["commit"]})"']
    for k, name in enumerate(names):
        points = [f"{theirs[name] / seconds(row, OURS):.4g} {at}" for at, row in enumerate(rows) if name in (theirs := others(row))]
        script += [f"$library{k} << END", *points, "END"]
    labels = ", ".join(f'"{row["name"]}" {at}' for at, row in enumerate(rows))
    script += ["set logscale x", f"set yrange [-0.7:{len(rows) - 0.3}]", f"set ytics ({labels})", "set grid", "set lmargin 28",
               f"set arrow from 1,-0.7 to 1,{len(rows) - 0.3} nohead lw 2", "set key outside bottom center horizontal",
               "plot " + ", ".join(f'$library{k} using 1:2 with points pt 7 ps 0.6 lc rgb "{COLORS[k]}" title "{name}"'
                                   for k, name in enumerate(names))]
    program_plots.gnuplot("\n".join([*script, ""]))


def last_record(suite):
    """The newest record of a suite and the name of its files, or None."""
    records = [(json.loads(path.read_text(encoding="utf-8")), path.stem) for path in RESULTS.glob(f"*-{suite}.json")]
    return max(records, key=lambda entry: (entry[0]["date"], entry[0]["time"]), default=(None, ""))


def circumstances(record, stem):
    """When, where and with what a record was measured, and its plot."""
    hardware = record["machine"]
    text = [f"Measured on {record['date']} at commit {record['commit']}: {hardware['cpu']}, {hardware['cores']} cores, "
            f"{hardware['memory_GB']} GB, copy bandwidth {record['busy']['before']['copy_GB_per_s']:.3g} GB/s, Python {record['python']}.",
            "The machine was busy: " + "; ".join(record["busy"]["reasons"]) + "." if record["busy"]["reasons"]
            else "The machine was quiet.",
            f"[All figures](../bench/results/{stem}.json). " + summary(record["tasks"]), ""]
    text += program_report.markdown([["library", "version"], *([name, version] for name, version in record["versions"].items())]) + [""]
    if (RESULTS / f"{stem}.svg").exists():
        text += [f"![Times of other libraries over that of NESL](../bench/results/{stem}.svg)", ""]
    return text


def failures(record):
    failed = [f"- {row['name']}, {name}: {column['error']}" for row in record["tasks"] for name, column in row["columns"].items()
              if "error" in column]
    return [*failed, ""] if failed else []


def measured_part(record, stem):
    names, text = record["libraries"], circumstances(record, stem)
    for converting, title in ((False, "Without conversions"), (True, "With conversions")):
        text += [f"## {title}", ""]
        for family in dict.fromkeys(row["family"] for row in record["tasks"]):
            rows = [row for row in record["tasks"] if row["family"] == family]
            shown = [name for name in names if any(seconds(row, name) is not None for row in rows)]
            text += [f"### {family}, {title.lower()}", "", *program_report.markdown([titles(shown), *(cells(row, shown, converting) for row in rows)]), ""]
    return text + failures(record)


def ahead_of_each(records):
    """In how many tasks NESL takes no longer than each other library: {name: "3 of 4"}."""
    found = {}
    for name in dict.fromkeys(name for record in records for name in others(record)):
        both = [(seconds(record, OURS), others(record)[name]) for record in records if name in others(record) and seconds(record, OURS)]
        found[name] = f"{sum(ours <= theirs for ours, theirs in both)} of {len(both)}"
    return found


def programs_part():
    """The part of docs/benchmarks.md about programs beside the libraries that users of Python and C++ know."""
    record, stem = last_record("users")
    if record is None:
        return ["None are recorded yet: run `scripts/bench users` on a quiet machine.", ""]
    names = record["libraries"]
    rows = [[row["name"], f"{row['size']}", *cells(row, names)[1:], cells(row, names, True)[-2]] for row in record["tasks"]]
    ahead = ", ".join(f"{name} in {count}" for name, count in ahead_of_each(record["tasks"]).items())
    return [*circumstances(record, stem), *program_report.markdown([["program", "size", *titles(names)[1:], "with conversions"], *rows]), "",
            f"NESL takes no longer than {ahead} programs.", "", *failures(record)]


def page():
    """docs/jagged.md."""
    record, stem = last_record("jagged")
    intro, causes = (ROOT / "bench" / "libraries" / "page.txt").read_text(encoding="utf-8").split("\n---\n")
    text = ["<!-- Written by bench/users_report.py from bench/libraries/page.txt and the last record in bench/results: change those. -->",
            "", intro.strip(), "", "## Figures", ""]
    text += measured_part(record, stem) if record else ["None are recorded yet: run `scripts/bench jagged` on a quiet machine.", ""]
    return "\n".join([*text, causes.strip()]) + "\n"


def write_page():
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")


def main():
    if "--check" not in sys.argv[1:]:
        write_page()
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print("docs/jagged.md is not what bench/users_report.py writes: run that, and review the difference")
    return 1


if __name__ == "__main__":
    sys.exit(main())

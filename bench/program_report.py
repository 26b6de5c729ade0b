"""What programs.py says and keeps: the table of a run, whether the machine was busy, the record in bench/results with its plots, and the
parts of docs/benchmarks.md that are made of the last record and of published.txt."""

import datetime
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import time

import program_plots
import program_runs

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
# Above these a run says that the machine was busy.
MOST_FOREIGN = 0.05  # processors that others used
MOST_CHANGE = 0.10  # of the copy bandwidth or the spin loop, between before and after
MOST_JITTER = 0.25  # of the spin loop, between its median and its worst
MUCH_MEMORY = 3  # times the peer's, above which the page has a cause
FAR_BEHIND = 5  # times the peer's time, likewise


class Watch:
    """Looks at the machine before and after a run."""

    def __init__(self, tools, threads):
        self.tools, self.threads = tools, threads
        self.before = tools.speed(threads)
        self.start, self.used, self.ours = time.perf_counter(), self.processors_used(), self.our_time()

    @staticmethod
    def processors_used():
        """Seconds of processor time of all processes since the machine started."""
        with open("/proc/stat", encoding="utf-8") as stat:
            user, nice, system, _, _, irq, softirq, steal = (int(word) for word in stat.readline().split()[1:9])
        return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def our_time():
        return sum(usage.ru_utime + usage.ru_stime
                   for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))

    def stop(self):
        """The findings: what was measured, and `reasons` to take the machine for busy."""
        seconds = time.perf_counter() - self.start
        foreign = max(0.0, self.processors_used() - self.used - (self.our_time() - self.ours)) / seconds
        after = self.tools.speed(self.threads)
        reasons = []
        if foreign > MOST_FOREIGN:
            reasons.append(f"other processes used {foreign:.2f} processors")
        for name, what in (("copy_GB_per_s", "copy bandwidth"), ("spin_ms", "time of a spin loop")):
            if abs(after[name] / self.before[name] - 1) > MOST_CHANGE:
                reasons.append(f"the {what} was {self.before[name]:.3g} before and {after[name]:.3g} after")
        for when, speed in (("before", self.before), ("after", after)):
            if speed["spin_worst_ms"] > (1 + MOST_JITTER) * speed["spin_ms"]:
                reasons.append(f"a spin loop of {speed['spin_ms']:.2f} ms took up to {speed['spin_worst_ms']:.2f} ms {when}")
        return {"seconds": round(seconds), "foreign_processors": round(foreign, 3), "before": self.before, "after": after,
                "reasons": reasons}


def milliseconds(column):
    """The core time of a column, as text."""
    if column is None or "error" in column:
        return "-" if column is None else "failed"
    return f"{column['core']['median'] * 1e3:.3g}"


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}" if value < 100 else f"{value:.0f}"


def cells(record, columns):
    """A program's row: name, size, core times, ratio of -O2 to -O1 and to the peer, of the first rounds, of several threads to one (ours,
    the peer's), floor
    and the peer's ratio to it, wall time and peak memory in MB of both, spread of -O2, lines of both."""
    names = [name for name, _, _ in columns]
    floor, peer = record.get("floor"), program_plots.core(record, "peer")
    more = [name for name in names if name.startswith("-O2 x")]
    spread = record["columns"]["-O2"].get("core")
    row = [record["name"], f"{record['size']}", *(milliseconds(record["columns"][name]) for name in names),
           number(program_plots.quotient(record, "-O2", "-O1")), number(program_plots.quotient(record, "-O2", "peer"))]
    row += [number(program_plots.quotient(record, "first", "peer first"))]
    row += [number(program_plots.quotient(record, name, "-O2")) for name in more]
    row += [number(program_plots.quotient(record, "peer " + name.split()[1], "peer")) for name in more]
    row += [f"{floor * 1e3:.3g}" if floor else "-", number(peer / floor if peer and floor else None, 1)]
    both = [record["columns"][name] for name in ("-O2", "peer")]
    row += [f"{column['wall'] * 1e3:.0f}" if "wall" in column else "-" for column in both]
    row += [f"{column['peak'] / 1e6:.0f}" if "peak" in column else "-" for column in both]
    row += [f"{(spread['most'] - spread['least']) / spread['median']:.0%}" if spread else "-"]
    return row + [f"{record['lines']['nesl']}/{record['lines']['peer']}"]


def titles(columns):
    names = [name for name, _, _ in columns]
    more = [name.split()[1] for name in names if name.startswith("-O2 x")]
    return ["program", "size", *names, "-O2/-O1", "ratio", "first ratio", *more, *("peer " + count for count in more), "floor", "peer/floor",
            "wall", "peer wall",
            "MB", "peer MB", "spread", "lines"]


def aligned(row):
    return f"{row[0]:<34}{row[1]:>9}" + "".join(f"{cell:>11}" for cell in row[2:])


def heading(columns):
    return aligned(titles(columns))


def line(record, columns):
    text = aligned(cells(record, columns))
    for name, column in record["columns"].items():
        if "error" in column:
            text += f"\n    {name}: {column['error']}"
    if "wrong" in record:
        text += f"\n    WRONG: the results of {', '.join(record['wrong'])} are not those of the peer"
    return text


def geometric_mean(values):
    product = 1.0
    for value in values:
        product *= value ** (1 / len(values))
    return product


def footer(records, busy):
    """The last lines of a run, with what is a mistake."""
    ratios = [ratio for ratio in (program_plots.quotient(record, "-O2", "peer") for record in records) if ratio]
    threads = [name for name in records[0]["columns"] if name.startswith("-O2 x")]
    lines = []
    firsts = [ratio for ratio in (program_plots.quotient(record, "first", "peer first") for record in records) if ratio]
    if ratios:
        lines.append(f"{len(ratios)} programs, ratios to the peers {min(ratios):.2f} to {max(ratios):.4g}, geometric mean "
                     f"{geometric_mean(ratios):.2f}" + (f", in the first round {geometric_mean(firsts):.2f}" if firsts else "") +
                     f"; {busy['seconds']} s")
    for name, than, what in [("-O2", "-O1", "with -O2 than with -O1")] + [(name, "-O2", f"with {name[5:]} threads than with one") for name in threads]:
        slower = [record["name"] for record in records if (program_plots.quotient(record, name, than) or 0) > 1.03]
        if slower:
            lines.append(f"more than 3 % slower {what}: " + ", ".join(slower))
    lines.append("the machine was BUSY: " + "; ".join(busy["reasons"]) if busy["reasons"] else "the machine was quiet")
    return "\n".join(lines)


def machine(compiler):
    """What the figures depend on; nothing that identifies the computer."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        model = next((text.split(":", 1)[1].strip() for text in info if text.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": model, "cores": os.cpu_count(), "memory_GB": round(memory / 2**30), "kernel": platform.release().split("-")[0],
            "compiler": compiler}


def compiler_of(folder):
    """The C++ compiler with which the programs in BUILD/bin were built."""
    cache = (folder.parent / "CMakeCache.txt").read_text(encoding="utf-8")
    path = re.search(r"^CMAKE_CXX_COMPILER:[^=]*=(.*)$", cache, re.MULTILINE)[1]
    return subprocess.run([path, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def write_record(folder, backend, columns, records, busy, profiles):
    """Writes the record of a run of all programs, plots, and what was profiled."""
    commit = git("rev-parse", "--short", "HEAD") + ("-modified" if git("status", "--porcelain", "--untracked-files=no") else "")
    now = datetime.datetime.now()
    record = {"date": f"{now:%Y-%m-%d}", "time": f"{now:%H:%M:%S}", "commit": commit, "backend": backend,
              "machine": machine(compiler_of(folder)), "busy": busy, "columns": [name for name, _, _ in columns], "programs": records}
    prefix = RESULTS / f"{record['date']}-{commit}-programs"
    # One column of a program a line, so that two records can be compared with diff.
    text = re.sub(r'("(?:[^"]*)": )(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})', lambda m: m[1] + re.sub(r"\s+", " ", m[2]),
                  json.dumps(record, indent=1))
    pathlib.Path(f"{prefix}.json").write_text(text + "\n", encoding="utf-8")
    table = [f"# commit {commit}, {record['machine']['cpu']}, {record['machine']['compiler']}; times in ms", heading(columns),
             *(line(row, columns) for row in records), footer(records, busy)]
    pathlib.Path(f"{prefix}.txt").write_text("\n".join(table) + "\n", encoding="utf-8")
    print(f"wrote {prefix}.json and .txt")
    for name, text in profiles.items():
        path = RESULTS / "profiles" / (name.replace("/", ".") + ".txt")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    program_plots.draw(record, prefix)


def memory_ratio(record):
    """Peak memory over that of the peer, or None."""
    ours, theirs = (record["columns"][name].get("peak") for name in ("-O2", "peer"))
    return ours / theirs if ours and theirs else None


def causes(file):
    """A function from programs to the causes in a file with rows "program, or one variant | cause"."""
    text = (program_runs.FOLDER / file).read_text(encoding="utf-8")
    rows = dict((cell.strip() for cell in row.split("|", 1)) for row in text.splitlines() if row and not row.startswith("#"))
    return lambda record: rows.get(record["name"]) or rows.get(record["name"].split(".")[0], "not examined yet")


def far_behind_part(records):
    """The programs that take much longer than their peers, with causes."""
    cause_of = causes("slow.txt")
    ratios = [(ratio, record) for record in records if (ratio := program_plots.quotient(record, "-O2", "peer"))]
    rows = [[record["name"], number(ratio), cause_of(record)]
            for ratio, record in sorted(ratios, key=lambda entry: -entry[0]) if ratio > FAR_BEHIND]
    return ["### Far behind", "", f"These took more than {FAR_BEHIND} times as long as their peers; causes are those at the commit of the record.", "",
            *markdown([["program", "ratio", "floor and cause"], *rows]), ""]


def memory_part(records):
    """The programs that take much more memory than their peers, with causes."""
    ratios = [(ratio, record) for record in records if (ratio := memory_ratio(record))]
    cause_of = causes("memory.txt")
    rows = [[record["name"], *(f"{record['columns'][name]['peak'] / 1e6:.0f}" for name in ("-O2", "peer")), number(ratio), cause_of(record)]
            for ratio, record in sorted(ratios, key=lambda entry: -entry[0]) if ratio > MUCH_MEMORY]
    text = ["### Memory", "",
            f"Peak memory of the process is {geometric_mean([ratio for ratio, _ in ratios]):.2f} times that of the peer in the mean; no program has less "
            f"than {min(record['columns']['-O2']['peak'] for _, record in ratios) / 1e6:.0f} MB, and no peer less than "
            f"{min(record['columns']['peer']['peak'] for _, record in ratios) / 1e6:.0f} MB. Records before ed3e4a45 count the memory of "
            "Python, which started both, as theirs ([without it](../bench/results/notes/peak-memory-of-programs.md)). "
            f"More than {MUCH_MEMORY} times that of the peer is taken by:", ""]
    return text + markdown([["program", "MB", "peer MB", "ratio", "cause"], *rows]) + [""]


def published():
    """The rows of published.txt: program, size, system, milliseconds, hardware, source."""
    text = (program_runs.FOLDER / "published.txt").read_text(encoding="utf-8")
    return [[cell.strip() for cell in row.split("|")] for row in text.splitlines() if row and not row.startswith("#")]


def last_record():
    """The newest record of a full run and the name of its files, or None."""
    records = [(json.loads(path.read_text(encoding="utf-8")), path.stem) for path in RESULTS.glob("*-programs.json")]
    return max(records, key=lambda entry: (entry[0]["date"], entry[0]["time"]), default=(None, ""))


def markdown(rows):
    head, *body = rows
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in body)]


def measured_part(record, stem):
    columns = [(name, None, None) for name in record["columns"]]
    hardware = record["machine"]
    text = [f"Measured on {record['date']} at commit {record['commit']}: {hardware['cpu']}, {hardware['cores']} cores, "
            f"{hardware['memory_GB']} GB, {hardware['compiler']}, backend {record['backend']}.",
            "The machine was busy: " + "; ".join(record["busy"]["reasons"]) + "." if record["busy"]["reasons"]
            else "The machine was quiet.",
            f"[All figures](../bench/results/{stem}.json), also [as a table](../bench/results/{stem}.txt); "
            "[what the optimizer and the profiler say about each program](../bench/results/profiles).", ""]
    for svg, what in ((f"{stem}.svg", "ratios to the peers"), (f"{stem}-sizes.svg", "time over size"),
                      (f"{stem}-threads.svg", "how many times as fast with several threads")):
        if (RESULTS / svg).exists():
            text += [f"![{what}](../bench/results/{svg})", ""]
    families = dict.fromkeys(row["name"].split("/")[0] for row in record["programs"])
    for family in families:
        rows = [row for row in record["programs"] if row["name"].startswith(family + "/")]
        table = [cells(row, columns) for row in rows]
        text += [f"### {family}", "", *markdown([titles(columns), *([row[0].split("/")[1], *row[1:]] for row in table)]), ""]
        text += [f"{row['name']}, {name}: {column['error']}  " for row in rows for name, column in row["columns"].items()
                 if "error" in column]
        if text[-1]:
            text.append("")
    return text + [footer(record["programs"], record["busy"]).splitlines()[0] + ".", "", *far_behind_part(record["programs"]), *memory_part(record["programs"])]


def beside(record):
    """The published figures, with ours where there is a record."""
    ours = {row["name"]: row for row in record["programs"]} if record else {}
    rows = [["program", "size", "system", "ms", "hardware", "source", "ours: size", "-O2 ms", "peer ms"]]
    for name, size, system, time_taken, hardware, source in published():
        row = ours.get(name)
        rows.append([name, size, system, time_taken, hardware, source, str(row["size"]) if row else "-",
                     milliseconds(row["columns"]["-O2"]) if row else "-", milliseconds(row["columns"]["peer"]) if row else "-"])
    return markdown(rows)

"""docs/benchmarks.md, made of bench/programs, bench/libraries/programs_page.txt and the last records in bench/results."""

import pathlib

import program_report
import program_runs
import users_report

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"


def page():
    """docs/benchmarks.md."""
    record, stem = program_report.last_record()
    intro = (ROOT / "bench" / "programs" / "page.txt").read_text(encoding="utf-8").rstrip()
    text = ["<!-- Written by bench/programs.py --page from bench/programs and the last record in bench/results: change those. -->", "",
            intro, "", "## Programs", ""]
    text += program_report.markdown([["program", "what it is"], *([row.name, row.about] for row in program_runs.programs())])
    text += ["", "## Figures", ""]
    text += program_report.measured_part(record, stem) if record else ["None are recorded yet: run `scripts/bench programs` on a quiet machine.", ""]
    text += ["## Beside libraries", "", (ROOT / "bench" / "libraries" / "programs_page.txt").read_text(encoding="utf-8").rstrip(), ""]
    text += users_report.programs_part()
    text += ["## What others have published", "",
             "On other machines, some with other sizes, so that only orders of magnitude can be compared.", "", *program_report.beside(record)]
    return "\n".join(text) + "\n"


def write_page():
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


def compare_page():
    """Whether docs/benchmarks.md is what write_page() would write: 0 if so."""
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print("docs/benchmarks.md is not what bench/programs.py --page writes: run that, and review the difference")
    return 1

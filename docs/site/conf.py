"""The documentation site: how Sphinx makes it of the pages in this repository. scripts/docs runs it."""

import re
import shutil
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLAYGROUND = ROOT / "build" / "playground" / "page"  # part of the site if it has been built
sys.path.insert(0, str(Path(__file__).parent))

project = "NESL"
version = release = re.search(r"project\(nesl VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
copyright = ""
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md", "bench/results/notes/*.md"]
exclude_patterns = ["build", ".git"]

extensions = ["myst_parser", "source_pages"]
myst_heading_anchors = 4
highlight_language = "none"
smartquotes = False

html_theme = "furo"
html_title = f"NESL {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

# The pages below each page, for the navigation: they are not in the pages themselves, which are read without Sphinx, too.
BELOW = {
    "README": {
        "NESL": ["docs/tutorial", "docs/teaching", "docs/nesl", "docs/library", "docs/nesl-command", "docs/editors", "docs/playground", "docs/coming-from-nesl-3.1"],
        "In other programs": ["docs/python", "docs/c-api", "docs/drop-in"],
        "VCODE": ["docs/vcode", "docs/ops", "docs/fcode-opt", "docs/fcode", "docs/vinterp", "docs/cvl-cuda", "docs/cluster"],
        "Speed": ["docs/benchmarks", "docs/jagged", "docs/gpu-check", "bench/results/notes/README"],
        "The project": ["docs/architecture", "docs/decisions/README", "docs/glossary", "docs/testing", "CONTRIBUTING", "CHANGELOG"],
    },
    "docs/architecture": {
        "": [f"docs/architecture/{page}" for page in ("front-end", "optimizer", "run-time", "backends", "kernels", "interfaces")]
    },
    "docs/decisions/README": {"": ["docs/decisions/0*"]},
    "bench/results/notes/README": {"": ["bench/results/notes/*"]},
}


def add_navigation(app, page, text):
    for caption, pages in BELOW.get(page, {}).items():
        options = ["hidden:", "glob:", *([f"caption: {caption}"] if caption else [])]
        lines = [*(f":{option}" for option in options), "", *(f"/{below}" for below in pages)]
        text[0] += "\n\n" + "\n".join(["```{toctree}", *lines, "```"]) + "\n"


def add_playground(app, page, text):
    if page == "docs/playground" and PLAYGROUND.exists():
        heading, rest = text[0].split("\n", 1)
        text[0] = heading + '\n\n```{raw} html\n<p><a href="../playground/index.html">Open the playground</a></p>\n```\n' + rest


def copy_playground(app, failure):
    if PLAYGROUND.exists():
        shutil.copytree(PLAYGROUND, Path(app.outdir) / "playground", dirs_exist_ok=True)


def write_index(app, failure):
    (Path(app.outdir) / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><title>NESL</title>'
        f'<meta http-equiv="refresh" content="0; url={root_doc}.html"><a href="{root_doc}.html">NESL</a>\n'
    )


def setup(app):
    # The lexers come from the file, so that the site is built without the package, which has to be compiled.
    spec = spec_from_file_location("highlighting", ROOT / "python" / "nesl" / "highlighting.py")
    highlighting = module_from_spec(spec)
    spec.loader.exec_module(highlighting)
    for lexer in (highlighting.NeslLexer, highlighting.NeslSessionLexer, highlighting.VcodeLexer):
        for alias in lexer.aliases:
            app.add_lexer(alias, lexer)
    app.connect("source-read", add_navigation)
    app.connect("source-read", add_playground)
    app.connect("build-finished", write_index)
    app.connect("build-finished", copy_playground)

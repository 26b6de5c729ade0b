#!/usr/bin/env python3
"""Puts the page of the playground together: the files of page/, and nesl-program.js with the compiled program.

    pack_page.py BUILT EXAMPLES OUTPUT

BUILT has nesl.js and nesl.wasm, EXAMPLES the .nesl files that the page offers. The program is packed into a script, compressed, so that the
page also works from a folder, where browsers load scripts but no other files, and so that its size does not depend on the server.
"""
import base64
import gzip
import json
import shutil
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "page"
COPIED = ["index.html", "playground.css", "playground.js", "highlight.js"]


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit("usage: pack_page.py BUILT EXAMPLES OUTPUT")
    built, examples, output = (Path(word) for word in sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        shutil.copyfile(PAGE / name, output / name)
    program = {
        "worker": (built / "nesl.js").read_text() + "\n" + (PAGE / "worker.js").read_text(),
        "examples": {file.stem: file.read_text() for file in sorted(examples.glob("*.nesl"))},
        "wasm": base64.b64encode(gzip.compress((built / "nesl.wasm").read_bytes(), 9, mtime=0)).decode(),
    }
    (output / "nesl-program.js").write_text(f"'use strict';\nconst neslProgram = {json.dumps(program)};\n")


main()

"""The programs nesl and vinterp of the package, as console scripts start them."""

import os
import sys
from typing import NoReturn


def _become(program: str) -> NoReturn:
    file = os.path.join(os.path.dirname(os.path.abspath(__file__)), program)
    if not os.path.exists(file):
        sys.exit(f"{program}: this installation of the Python package has no such program: {file} is missing")
    os.execv(file, [program, *sys.argv[1:]])


def nesl() -> NoReturn:
    _become("nesl")


def vinterp() -> NoReturn:
    _become("vinterp")

"""python -m nesl.kernel install: lets Jupyter know of the kernel; with other arguments, as Jupyter starts it, runs the kernel."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

SPECIFICATION = Path(__file__).with_name("kernel.json")


def install(arguments: list[str]) -> None:
    """Writes a specification of the kernel that names this Python to where Jupyter looks for such."""
    from jupyter_client.kernelspec import KernelSpecManager

    parser = argparse.ArgumentParser(prog="python -m nesl.kernel install", description="Lets Jupyter know of the kernel of NESL.")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--user", action="store_true", help="for this user only, instead of this installation of Python")
    place.add_argument("--prefix", default=sys.prefix, metavar="FOLDER", help="below FOLDER, in share/jupyter/kernels")
    options = parser.parse_args(arguments)
    specification = json.loads(SPECIFICATION.read_text(encoding="utf-8"))
    specification["argv"][0] = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # the mode of the installed folder
        Path(folder, "kernel.json").write_text(json.dumps(specification, indent=2) + "\n", encoding="utf-8")
        try:
            installed = KernelSpecManager().install_kernel_spec(
                folder, "nesl", user=options.user, prefix=None if options.user else options.prefix)
        except OSError as error:
            sys.exit(f"the kernel cannot be installed: {error}; --user and --prefix choose another place")
    print(f"the kernel nesl is installed in {installed}")


def run() -> None:
    """Runs the kernel until its frontend ends it."""
    from ipykernel.kernelapp import IPKernelApp

    from .notebook_kernel import NeslKernel

    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a program that reads its input finds the end, and does not wait for ever
    os.close(nothing)
    IPKernelApp.launch_instance(kernel_class=NeslKernel)


def main() -> None:
    try:
        install(sys.argv[2:]) if sys.argv[1:2] == ["install"] else run()
    except ModuleNotFoundError as error:
        if error.name not in ("ipykernel", "jupyter_client"):
            raise
        sys.exit(f"the kernel needs {error.name}: pip install 'nesl[jupyter]'")


if __name__ == "__main__":
    main()

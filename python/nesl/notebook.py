"""The magics %%nesl and %nesl_show of IPython and Jupyter (%load_ext nesl)."""

from __future__ import annotations

from typing import Any

from .arrays import Record
from .conversion import decode
from .errors import ArgumentError
from .session import Namespace, default_session
from .steps import Steps


def _shown(value: Any) -> Any:
    if not isinstance(value, Record) or value.type != "picture":
        return value
    from IPython.display import SVG, Image

    (file,) = value
    return SVG(filename=file) if file.endswith(".svg") else Image(filename=file)


def load_magic(shell: Any) -> None:
    """Adds %%nesl and %nesl_show to an IPython shell, whose cells share a scope of the default session."""
    session = default_session().scope()

    def run_cell(line: str, cell: str) -> Any:
        """%%nesl [name]: reads the NESL statements of the cell, after those of earlier cells. `name` becomes the Python
        variable for what they define. The value of a last statement without semicolon, which is an expression, is shown; of
        plots and images, the picture."""
        name = line.strip()
        if name and not name.isidentifier():
            raise ArgumentError(f"%%nesl {name}: a name for a Python variable is expected")
        number = len(shell.history_manager.input_hist_parsed) - 1  # execution_count may be that of the next cell
        value = session._read(cell, f"<cell {number}>")
        if name:
            shell.user_ns[name] = Namespace(session)
        return None if value is None or cell.rstrip().endswith((";", "$")) else _shown(decode(value))

    def show_line(line: str) -> Steps:
        """%nesl_show EXPRESSION: how the expression is computed on flat vectors, step by step."""
        return session.show(line)

    shell.register_magic_function(run_cell, "cell", "nesl")
    shell.register_magic_function(show_line, "line", "nesl_show")

"""The kernel that Jupyter talks to."""

from __future__ import annotations

import re
from typing import Any

from ipykernel.kernelbase import Kernel

from .. import __version__, _nesl
from ..errors import Error
from ..highlighting import NAME
from ..session import Session
from .cell_reader import COMMANDS, CellReader
from .program_output import ProgramOutput

_OPERATOR = r"[-+*/\\^<>=#@!?&]+"
_TEXT_STATES = {0: "complete", 1: "incomplete", 2: "incomplete", 3: "complete", 4: "complete"}  # nesl_text_state


class NeslKernel(Kernel):
    """A kernel with a session of its own, whose definitions and variables last until it ends."""

    implementation = "nesl"
    implementation_version = __version__
    banner = f"NESL {__version__}; %help shows help"
    language_info = {
        "name": "nesl", "version": __version__, "mimetype": "text/x-nesl", "file_extension": ".nesl", "pygments_lexer": "nesl"}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._session = Session()
        self._cells = CellReader(self._session)

    def do_execute(self, code: str, silent: bool, store_history: bool = True, user_expressions: Any = None,
                   allow_stdin: bool = False, **cell: Any) -> dict[str, Any]:
        """Runs a cell. An error, also KeyboardInterrupt, ends the cell and leaves the session as it was before the statement."""
        try:
            parent, topic = self.get_parent(), self._topic("stream")  # of this request, for another thread

            def publish(stream: str, text: str) -> None:
                if not silent:
                    self.session.send(self.iopub_socket, "stream", {"name": stream, "text": text}, parent=parent, ident=topic)

            with ProgramOutput(publish) as output:
                for bundle in self._cells.read(code, f"<cell {self.execution_count}>"):
                    output.drain()
                    if not silent:
                        self.send_response(self.iopub_socket, "execute_result", {
                            "execution_count": self.execution_count, "data": bundle, "metadata": {}})
        except Error as error:
            return self._failed(silent, type(error).__name__, error.message, str(error))
        except KeyboardInterrupt:
            return self._failed(silent, "KeyboardInterrupt", "", "interrupted: the statement was stopped, and the session goes on")
        except Exception as error:  # without a reply, the frontend would wait for ever
            self.log.exception("the cell failed")
            return self._failed(silent, type(error).__name__, str(error), f"{type(error).__name__}: {error}")
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def _failed(self, silent: bool, name: str, message: str, report: str) -> dict[str, Any]:
        content = {"ename": name, "evalue": message, "traceback": report.split("\n")}
        if not silent:
            self.send_response(self.iopub_socket, "error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        """Completes a name from those of the library, the session and the cell, or a command."""
        before = code[:cursor_pos]
        if command := re.fullmatch(r"\s*(%%?|:)([a-z]*)", before):
            begin, names = command.start(2), list(COMMANDS)
        else:
            found = re.search(rf"(?:{NAME})?\Z", before)
            begin = found.start() if found else cursor_pos
            typed = before[begin:]
            in_cell = [name for name in re.findall(NAME, code[:begin] + " " + code[cursor_pos:]) if name != typed]
            names = [*self._cells.names(), *in_cell] if typed else []
        prefix = before[begin:].lower()
        matches = sorted({name for name in names if name.lower().startswith(prefix)})
        return {"status": "ok", "matches": matches, "cursor_start": begin, "cursor_end": cursor_pos, "metadata": {}}

    def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> dict[str, Any]:
        """Type and documentation of the name or operator at the cursor, or of the function whose arguments surround it."""
        for name in _names_at(code, cursor_pos):
            try:
                text = self._cells.description(name)
            except Error:
                continue
            return {"status": "ok", "found": True, "data": {"text/plain": text}, "metadata": {}}
        return {"status": "ok", "found": False, "data": {}, "metadata": {}}

    def do_is_complete(self, code: str) -> dict[str, Any]:
        if re.match(r"\s*[%:][a-z]", code):
            return {"status": "complete"}
        status = _TEXT_STATES[_nesl.text_state(code.encode("utf-8", "replace"))]
        if code.endswith("\n") and status == "incomplete" and _nesl.text_state(code.encode("utf-8", "replace")) == 2:
            status = "complete"  # a definition, and an empty line behind it
        return {"status": status, "indent": "  "} if status == "incomplete" else {"status": status}

    def do_shutdown(self, restart: bool) -> dict[str, Any]:
        self._session.close()
        return {"status": "ok", "restart": restart}


def _names_at(code: str, cursor: int) -> list[str]:
    """The name at the cursor, and those of the functions whose argument lists surround it, the innermost first."""
    names = [match[0] for match in re.finditer(rf"{NAME}|{_OPERATOR}", code) if match.start() <= cursor <= match.end()]
    depth = 0
    for at in range(cursor - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(code[at], 0)
        if depth < 0:
            depth = 0
            if called := re.search(rf"({NAME})\s*\Z", code[:at]):
                names.append(called[1])
    return names

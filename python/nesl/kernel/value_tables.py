"""HTML of values: tables for sequences of tuples, records and rows, and the pictures of plots."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np

from .. import _nesl

Bundle = dict[str, str]  # representations of an output, by MIME type

MOST_ROWS = 100
MOST_ELEMENTS = 20  # of a row of a table, and of a sequence in a cell
_MOST_CHARACTERS = 100  # of a string in a cell
_BATCH = 100  # elements that the library shows of a sequence
_STYLE = 'style="text-align: left"'
_PALE = 'style="opacity: 0.6; font-weight: normal"'


def bundle_of(value: _nesl.Value) -> Bundle:
    """The value as text; also as a table, or as the picture whose file it names, if there is one."""
    bundle = {"text/plain": f"{value.text} : {value.type}"}
    table = _table(value)
    if table:
        bundle["text/html"] = table
    return {**bundle, **_picture(value)}


def _picture(value: _nesl.Value) -> Bundle:
    """The picture that a plot function has written; nothing if the file is not there any more."""
    if value.type != "picture" or value.parts != 1 or value.part(0).type != "[char]":
        return {}
    file = Path(_text(value.part(0)))
    try:
        data = file.read_bytes()
    except (OSError, ValueError):
        return {}
    if file.suffix == ".svg":
        return {"image/svg+xml": data.decode("utf-8", "replace")}
    return {"image/png": base64.b64encode(data).decode()} if data.startswith(b"\x89PNG") else {}


def _table(value: _nesl.Value) -> str:
    """The table of a sequence of tuples, records or sequences, or of one record; "" for other values."""
    if value.type == "picture" or value.type.startswith("[char"):
        return ""
    if value.type.startswith("[[") and value.type != "[[char]]":
        return _table_of_rows(value)
    if value.type.startswith("[") and value.parts:
        return _table_of_columns(value)
    names = [] if value.type.startswith("(") or not value.parts else value.fields
    cells = [_only(value.part(k)) for k in range(len(names))]
    return _html([_heading(names[k], value.part(k).type) for k in range(len(names))], [cells], value.type) if names else ""


def _table_of_columns(value: _nesl.Value) -> str:
    names = value.fields if not value.type.startswith("[(") else [""] * value.parts
    columns = [value.part(k) for k in range(value.parts)]
    length = _length(columns[0])
    shown = range(min(length, MOST_ROWS))
    texts = [_texts(column, shown) for column in columns]
    headings = [_heading(name, column.type[1:-1]) for name, column in zip(names or [""] * len(columns), columns)]
    rows = [[_cell(column[k]) for column in texts] for k in shown]
    return _html(["", *headings], [[_index(k), *row] for k, row in zip(shown, rows)], _caption(length, value.type))


def _table_of_rows(value: _nesl.Value) -> str:
    offsets, elements = value.offsets(), value.elements()
    length = len(offsets) - 1
    rows = []
    for k in range(min(length, MOST_ROWS)):
        begin, end = int(offsets[k]), int(offsets[k + 1])
        cells = [_cell(text) for text in _texts(elements, range(begin, min(end, begin + MOST_ELEMENTS)))]
        if end - begin > MOST_ELEMENTS:
            cells.append(f"<td {_PALE}>{end - begin - MOST_ELEMENTS} more</td>")
        if not cells:
            cells.append(f"<td {_PALE}>empty</td>")
        rows.append([_index(k), *cells])
    return _html([], rows, _caption(length, value.type))


def _texts(sequence: _nesl.Value, positions: Sequence[int]) -> list[str]:
    """The elements of a sequence at ascending positions, in NESL's notation, cut to a reasonable length."""
    type = sequence.type
    if type in ("[int]", "[float]", "[bool]"):
        return _numbers(sequence, positions)
    if type == "[char]":
        return [sequence.session.from_char(code).text for code in sequence.array().view(np.uint8)[list(positions)].tolist()]
    if type == "[[char]]":
        offsets, letters = sequence.offsets(), sequence.elements().array()
        return [_string(sequence.session, letters[offsets[k]:offsets[k + 1]]) for k in positions]
    if type.startswith("[["):
        offsets, elements = sequence.offsets(), sequence.elements()
        return [_sequence(elements, int(offsets[k]), int(offsets[k + 1])) for k in positions]
    parts = zip(*(_texts(sequence.part(k), positions) for k in range(sequence.parts)))
    name = "" if type.startswith("[(") else type[1:-1].partition("(")[0]
    return [f"{name}({', '.join(part)})" for part in parts]


def _numbers(sequence: _nesl.Value, positions: Sequence[int]) -> list[str]:
    chosen = sequence.array()[list(positions)]
    texts: list[str] = []
    for begin in range(0, len(chosen), _BATCH):
        texts += sequence.session.borrow(chosen[begin:begin + _BATCH]).text[1:-1].split(", ")
    return texts


def _sequence(elements: _nesl.Value, begin: int, end: int) -> str:
    rest = ",..." if end - begin > MOST_ELEMENTS else ""
    return f"[{', '.join(_texts(elements, range(begin, min(end, begin + MOST_ELEMENTS))))}{rest}]"


def _string(session: _nesl.Session, letters: np.ndarray) -> str:
    if len(letters) <= _MOST_CHARACTERS:
        return session.borrow(letters).text
    return f"{session.borrow(letters[:_MOST_CHARACTERS]).text} and {len(letters) - _MOST_CHARACTERS} more characters"


def _only(value: _nesl.Value) -> str:
    return _cell(value.text)


def _text(string: _nesl.Value) -> str:
    return string.array().tobytes().decode("utf-8", "surrogateescape")


def _length(sequence: _nesl.Value) -> int:
    if sequence.type.startswith("[["):
        return len(sequence.offsets()) - 1
    return _length(sequence.part(0)) if sequence.parts else len(sequence.array())


def _heading(name: str, type: str) -> str:
    return f'<th {_STYLE}>{escape(name)}<div {_PALE}>{escape(type)}</div></th>'


def _index(row: int) -> str:
    return f"<th {_PALE}>{row}</th>"


def _cell(text: str) -> str:
    return f"<td {_STYLE}>{escape(text)}</td>"


def _caption(length: int, type: str) -> str:
    rows = f"{length:,} row{'' if length == 1 else 's'} : {type}"
    return rows if length <= MOST_ROWS else f"{rows}; the first {MOST_ROWS} are shown"


def _html(headings: list[str], rows: list[list[str]], caption: str) -> str:
    head = "<thead><tr>" + "".join(text or "<th></th>" for text in headings) + "</tr></thead>" if headings else ""
    body = "".join(f"<tr>{''.join(cells)}</tr>\n" for cells in rows)
    return f"<table>{head}<tbody>\n{body}</tbody></table>\n<div {_PALE}>{escape(caption)}</div>"

"""The steps of a computation on flat vectors, as nesl show prints them."""

from __future__ import annotations

import os


class Steps:
    """How an expression is computed. `str()` is the text; a notebook shows the page, in which the arrow keys go from step to
    step."""

    def __init__(self, expression: str, text: str, html: str) -> None:
        self.expression = expression
        self.html = html
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<steps of {self.expression}; str() is their text, save() makes a page for browsers>"

    def _repr_html_(self) -> str:
        return self.html

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the page, which needs no other file."""
        with open(file, "w", encoding="utf-8") as page:
            page.write(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"></head><body>\n<main>{self.html}</main></body></html>\n')

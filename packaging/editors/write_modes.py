#!/usr/bin/env python3
"""Writes the words of NESL into the highlighting of editors and of the documentation site.

    write_modes.py            writes what is out of date
    write_modes.py --check    only names such files, and fails if there are any

The words come from the sources of the compiler and from docs/library.md. They go to the TextMate grammar of the extension for VS Code, which is
written as a whole, and between two marked lines of the Vim syntax, the Emacs mode, the Pygments lexer and the script of the playground.
"""
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKENS = ROOT / "nesl-compiler/src/syntax/token.h"
TYPES = ROOT / "nesl-compiler/src/types/declared_types.cpp"
CLASSES = ROOT / "nesl-compiler/src/types/type_text.cpp"
LIBRARY = ROOT / "docs/library.md"

# Reserved words with a meaning of their own; the others are control words.
DECLARATIONS = ["function", "datatype", "closure", "pair", "defconfig"]
OPERATORS = ["and", "or", "nand", "nor", "xor"]
CONSTANTS = ["t", "f"]
# Words that are reserved at certain places only: test and bench in front of a title.
TRIALS = ["test", "bench"]

# Characters that end a name (is_name_part in nesl-compiler/src/syntax/nesl_lexer.cpp), within brackets of a regular expression.
NO_NAME = r"""\s\-+\#&'()*,/:;<=>@\[\\\]^{}?|!$`".%"""
NAME = rf"[^\d{NO_NAME}][^{NO_NAME}]*"


@dataclass
class Words:
    """The words of the language by their kinds."""
    declarations: list[str]
    controls: list[str]
    operators: list[str]
    constants: list[str]
    types: list[str]
    classes: list[str]
    library: list[str]  # functions and variables with names, not operators


def fail(message: str) -> None:
    sys.exit(f"write_modes.py: {message}")


def read_words() -> Words:
    table = TOKENS.read_text().split("kSpellings = {")[1].split("};")[0]
    reserved = [word for _, word in re.findall(r'Spelling\{TokenKind::(k\w+), "([a-z]+)"', table)]
    known = DECLARATIONS + OPERATORS + CONSTANTS
    missing = [word for word in known if word not in reserved]
    if not reserved or missing:
        fail(f"{TOKENS} does not reserve {', '.join(missing)}")
    types = re.search(r"kScalars\[\] = \{(.*?)\}", TYPES.read_text())
    classes = re.findall(r'return "(any|scalar|ordinal|number|logical)";', CLASSES.read_text())
    if types is None or not classes:
        fail("the scalar types and the classes of types have moved")
    library = re.findall(r"^\| `([a-z_][a-z0-9_]*)` \|", LIBRARY.read_text(), re.MULTILINE)
    scalars = re.findall(r'"(\w+)"', types[1])
    controls = [word for word in reserved if word not in known]
    return Words(DECLARATIONS, controls, OPERATORS, CONSTANTS, scalars, classes, sorted(set(library) - set(reserved) - set(scalars)))


# --- TextMate ------------------------------------------------------------------------------------------------------

def word(words: list[str]) -> str:
    return rf"(?i)(?<![^{NO_NAME}])(?:{'|'.join(words)})(?![^{NO_NAME}])"


def grammar(words: Words) -> str:
    before, behind = rf"(?<![^{NO_NAME}])", rf"(?![^{NO_NAME}])"

    def definition(keyword: str, scope: str) -> dict:
        return {"match": rf"(?i){before}({keyword})\s+({NAME})",
                "captures": {"1": {"name": "keyword.declaration.nesl"}, "2": {"name": scope}}}

    patterns = [
        {"name": "comment.block.nesl", "begin": "%", "end": "%"},
        {"name": "string.quoted.double.nesl", "begin": '"', "end": '"',
         "patterns": [{"name": "constant.character.escape.nesl", "match": r'\\[ntr0\\"]'},
                      {"name": "invalid.illegal.escape.nesl", "match": r"\\[\s\S]?"}]},
        {"name": "string.quoted.single.nesl", "match": r"`(?:.|$)"},
        {"name": "constant.numeric.float.nesl", "match": rf"(?i)(?<![^{NO_NAME}])(?:(?:\d+\.\d*|\.\d+)(?:e[-+]?\d+)?|\d+e[-+]?\d+)"},
        {"name": "constant.numeric.integer.nesl", "match": rf"(?i){before}\d+(?:[kmg]{behind})?"},
        {"match": rf'(?i){before}({"|".join(TRIALS)})(?=\s*")', "captures": {"1": {"name": "keyword.declaration.nesl"}}},
        {"match": rf'(?i)(?<=")\s*(for){behind}', "captures": {"1": {"name": "keyword.control.nesl"}}},
        definition("function", "entity.name.function.nesl"),
        definition("datatype", "entity.name.type.nesl"),
        {"match": rf"(?i)\.\s*({NAME})", "captures": {"1": {"name": "variable.other.member.nesl"}}},
        {"match": rf"(?i){before}(in)\s+({'|'.join(words.classes)}){behind}(?=\s*[;)])",
         "captures": {"1": {"name": "keyword.control.nesl"}, "2": {"name": "storage.type.nesl"}}},
        {"name": "keyword.declaration.nesl", "match": word(words.declarations)},
        {"name": "keyword.control.nesl", "match": word(words.controls)},
        {"name": "keyword.operator.word.nesl", "match": word(words.operators)},
        {"name": "constant.language.nesl", "match": word(words.constants)},
        {"name": "storage.type.nesl", "match": word(words.types)},
        {"name": "keyword.control.import.nesl", "match": rf'(?i)^\s*load(?=\s*")'},
        {"name": "support.function.nesl", "match": word(words.library)},
        {"name": "variable.other.nesl", "match": NAME},
        {"name": "keyword.operator.nesl", "match": r"->|<-|=>|>>|\+\+|==|/=|<=|>=|\|\||:=|::|&=|\|=|[-+*/\\^<>=#@!?&']"},
        {"name": "punctuation.nesl", "match": r"[()\[\]{},:;$|.]"},
    ]
    text = {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Written by packaging/editors/write_modes.py from the words of the compiler.",
        "name": "NESL",
        "scopeName": "source.nesl",
        "fileTypes": ["nesl"],
        "patterns": patterns,
    }
    return json.dumps(text, indent=2) + "\n"


# --- Vim, Emacs, Pygments, playground --------------------------------------------------------------------------------------------

def lines_of(words: list[str], width: int, begin: str, separator: str = " ") -> list[str]:
    """Lines of words, each line with the same beginning."""
    lines, line = [], begin
    for one in words:
        if len(line) > len(begin) and len(line) + len(separator) + len(one) > width:
            lines.append(line)
            line = begin
        line += (separator if len(line) > len(begin) else "") + one
    return [*lines, line]


def vim(words: Words) -> list[str]:
    groups = [("neslDeclaration", words.declarations), ("neslControl", words.controls), ("neslOperatorWord", words.operators),
              ("neslConstant", words.constants), ("neslType", words.types), ("neslFunction", words.library)]
    return [line for group, members in groups for line in lines_of(members, 120, f"syntax keyword {group} ")]


def emacs(words: Words) -> list[str]:
    groups = [("declarations", words.declarations, "that begin definitions"), ("controls", words.controls, "of expressions"),
              ("operators", words.operators, "that are operators"), ("constants", words.constants, "for truth values"),
              ("types", words.types, "for scalar types"), ("library", words.library, "for functions of the library")]
    lines = []
    for name, members, what in groups:
        rows = lines_of([f'"{one}"' for one in members], 100, "    ")
        rows[0] = "  '(" + rows[0].strip()
        rows[-1] += ")"
        lines += [f"(defconst nesl-{name}", *rows, f'  "Words {what}.")']
    return lines


def pygments(words: Words) -> list[str]:
    groups = [("DECLARATIONS", words.declarations), ("CONTROLS", words.controls), ("OPERATORS", words.operators), ("TYPES", words.types),
              ("CONSTANTS", words.constants)]
    return [f"_{name} = ({', '.join(json.dumps(one) for one in members)})" for name, members in groups]


def javascript(words: Words) -> list[str]:
    groups = [("declaration", words.declarations), ("control", words.controls), ("word", words.operators), ("constant", words.constants),
              ("type", words.types), ("library", words.library)]
    lines = []
    for name, members in groups:
        rows = lines_of([f"'{one}'" for one in members], 118, "      ", ", ")
        lines += [f"    {name}: [", *(row + "," for row in rows), "    ],"]
    return lines


def with_words(file: Path, comment: str, lines: list[str]) -> str:
    """The text of a file with other lines between the two marked ones."""
    text = file.read_text()
    begin, end = f"{comment} Words: written by packaging/editors/write_modes.py", f"{comment} End of words"
    if text.count(begin) != 1 or text.count(end) != 1:
        fail(f"{file} has no lines '{begin}' and '{end}'")
    head, rest = text.split(begin)
    return head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def main() -> None:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        fail("the only option is --check")
    words = read_words()
    here = ROOT / "packaging/editors"
    page = ROOT / "playground/page/highlight.js"
    lexer, mode, syntax = ROOT / "python/nesl/highlighting.py", here / "emacs/nesl-mode.el", here / "vim/syntax/nesl.vim"
    texts = {
        here / "vscode/syntaxes/nesl.tmLanguage.json": grammar(words),
        syntax: with_words(syntax, '"', vim(words)),
        mode: with_words(mode, ";;", emacs(words)),
        lexer: with_words(lexer, "#", pygments(words)),
        page: with_words(page, "    //", javascript(words)),
    }
    stale = [file for file, text in texts.items() if not file.exists() or file.read_text() != text]
    for file in stale:
        print(file.relative_to(ROOT), "is out of date: run packaging/editors/write_modes.py" if check else "is written")
        if not check:
            file.write_text(texts[file])
    sys.exit(1 if check and stale else 0)


main()

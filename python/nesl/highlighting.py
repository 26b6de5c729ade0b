"""Pygments lexers for NESL, for sessions at its prompt, and for VCODE and FCODE. Pygments finds them by name (entry points in
pyproject.toml). Only the Jupyter kernel imports this module, so that the package needs no Pygments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import Lexer, RegexLexer, bygroups, words
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace, _TokenType

__all__ = ["NeslLexer", "NeslSessionLexer", "VcodeLexer"]

# A name, and the place where one ends (is_name_part in nesl-compiler/src/syntax/nesl_lexer.cpp).
NAME = r"""[^\s\d\-+\#&'()*,/:;<=>@\[\\\]^{}?|!$`".%][^\s\-+\#&'()*,/:;<=>@\[\\\]^{}?|!$`".%]*"""
_NAME_END = r"""(?![^\s\-+\#&'()*,/:;<=>@\[\\\]^{}?|!$`".%])"""


# Words: written by packaging/editors/write_modes.py
_DECLARATIONS = ("function", "datatype", "closure", "pair", "defconfig")
_CONTROLS = ("if", "then", "else", "let", "in", "time")
_OPERATORS = ("and", "or", "nand", "nor", "xor")
_TYPES = ("int", "float", "bool", "char")
_CONSTANTS = ("t", "f")
# End of words


class NeslLexer(RegexLexer):
    """NESL programs. Case does not count."""

    name = "NESL"
    url = "https://www.cs.cmu.edu/~scandal/nesl.html"
    aliases: ClassVar = ["nesl"]
    filenames: ClassVar = ["*.nesl"]
    mimetypes: ClassVar = ["text/x-nesl"]
    flags = re.IGNORECASE

    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"%[^%]*%", Comment.Multiline),
            (r'"(?:\\[\s\S]|[^"\\])*"', String),
            (r"`[\s\S]", String.Char),
            (r"(?:\d+\.\d*|\.\d+)(?:e[-+]?\d+)?|\d+e[-+]?\d+", Number.Float),
            (rf"\d+[kmg]?{_NAME_END}", Number.Integer),
            (r"\d+", Number.Integer),
            (r'(test|bench)(\s+)("(?:\\[\s\S]|[^"\\])*")(\s+)(for)' + _NAME_END,
             bygroups(Keyword.Declaration, Whitespace, String, Whitespace, Keyword)),
            (r'(test|bench)(\s+)("(?:\\[\s\S]|[^"\\])*")(?=\s*=)', bygroups(Keyword.Declaration, Whitespace, String)),
            (rf"(function)(\s+)({NAME})", bygroups(Keyword.Declaration, Whitespace, Name.Function)),
            (rf"(datatype)(\s+)({NAME})", bygroups(Keyword.Declaration, Whitespace, Name.Class)),
            (words(_DECLARATIONS, suffix=_NAME_END), Keyword.Declaration),
            (words(_CONTROLS, suffix=_NAME_END), Keyword),
            (words(_OPERATORS, suffix=_NAME_END), Operator.Word),
            (words(_TYPES, suffix=_NAME_END), Keyword.Type),
            (words(_CONSTANTS, suffix=_NAME_END), Keyword.Constant),
            (NAME, Name),
            (r"->|<-|=>|>>|\+\+|==|/=|<=|>=|\|\||:=|::|&=|\|=", Operator),
            (r"[-+*/\\^<>=#@!?&']", Operator),
            (r"[()\[\]{},:;$|.]", Punctuation),
        ]
    }


class NeslSessionLexer(Lexer):
    """Sessions of `nesl repl`: statements behind the prompt `>`, and replies."""

    name = "NESL session"
    aliases: ClassVar = ["nesl-session"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        nesl = NeslLexer(**self.options)
        for line in re.finditer(r"(> ?)?(.*\n?)", text):
            prompt, rest = line[1], line[2]
            if prompt is None:
                if rest:
                    yield line.start(), Generic.Output, rest
                continue
            yield line.start(), Generic.Prompt, prompt
            command = re.match(r":\w+", rest)  # a command of the session, such as :vcode
            skipped = command.end() if command else 0
            if command:
                yield line.start(2), Keyword.Pseudo, command[0]
            for at, kind, value in nesl.get_tokens_unprocessed(rest[skipped:]):
                yield line.start(2) + skipped + at, kind, value


class VcodeLexer(RegexLexer):
    """VCODE, and FCODE, which is VCODE with kernels."""

    name = "VCODE"
    aliases: ClassVar = ["vcode", "fcode"]
    filenames: ClassVar = ["*.vcode", "*.fcode"]

    _word = r"[-+*/%<>=!._A-Za-z0-9]"
    _word_end = rf"(?!{_word})"
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"\{[^}]*\}", Comment.Multiline),
            (r'"[^"]*"', String),
            (rf"[-+]?\d+\.\d*(?:[Ee][-+]?\d+)?{_word_end}", Number.Float),
            (rf"[-+]?\d+{_word_end}", Number.Integer),
            (rf"(FUNC|CALL|KERNEL)(\s+)({_word}+)", bygroups(Keyword, Whitespace, Name.Function)),
            (words(("IF", "ELSE", "ENDIF", "RET", "EXIT", "COPY", "POP", "CPOP", "PAIR", "UNPAIR", "CONST", "FUSED", "OVER", "REPEATED", "OUT",
                    "FCODE", "PIECES", "EACH", "SHARED", "WHOLE"), prefix=rf"(?<!{_word})", suffix=_word_end), Keyword),
            (words(("INT", "FLOAT", "BOOL", "SEGDES", "CHAR"), suffix=_word_end), Keyword.Type),
            (words(("T", "F"), suffix=_word_end), Keyword.Constant),
            (rf"=(?=\s+(?:[A-Z]|[-+*/%<>=!]))(?!\s+(?:INT|FLOAT){_word_end})", Punctuation),  # result = OPERATION
            (rf"[A-Z][A-Z0-9_]+{_word_end}|[-+*/%<>=!]+(?:_[A-Z_]+)?{_word_end}", Name.Builtin),  # operations
            (rf"{_word}+", Name),
            (r"[()]", Punctuation),
            (r".", Text),
        ]
    }

"""The Pygments lexers."""

from importlib import metadata
from pathlib import Path

import pytest

pygments = pytest.importorskip("pygments")

from pygments.token import Comment, Error, Generic, Keyword, Name, Number, Operator, String, Whitespace  # noqa: E402

from nesl.highlighting import NeslLexer, NeslSessionLexer, VcodeLexer  # noqa: E402

ROOT = Path(__file__).parents[2]


def tokens(lexer, text):
    """The tokens of a text, without blanks."""
    return [(kind, value) for kind, value in lexer.get_tokens(text) if kind not in Whitespace and value.strip()]


def kinds(lexer, text):
    return dict((value, kind) for kind, value in tokens(lexer, text))


def test_a_function():
    found = kinds(NeslLexer(), 'Function square(x) = x * 2 + .5e-3 % of "x" %;')
    assert found["Function"] is Keyword.Declaration
    assert found["square"] is Name.Function
    assert found["2"] is Number.Integer
    assert found[".5e-3"] is Number.Float
    assert found['% of "x" %'] in Comment


def test_words_are_whole_names():
    found = kinds(NeslLexer(), "let tin = t; iff = int_of; x~y = f in tin")
    assert found["tin"] is Name and found["iff"] is Name and found["int_of"] is Name and found["x~y"] is Name
    assert found["t"] is Keyword.Constant and found["let"] is Keyword


def test_tests_and_benchmarks():
    found = kinds(NeslLexer(), 'test "a" for s : [int] = x; Bench "b" = 10K; test = bench; "c" ++ for')
    assert found["for"] is Name and found["test"] is Name and found["bench"] is Name
    assert found["Bench"] is Keyword.Declaration and found["10K"] is Number.Integer
    first = tokens(NeslLexer(), 'test "a" for s : [int] = x;')
    assert first[:3] == [(Keyword.Declaration, "test"), (String, '"a"'), (Keyword, "for")]


def test_strings_and_characters():
    found = tokens(NeslLexer(), r'"a\"% b" ++ [`", `%]')
    assert found[0] == (String, r'"a\"% b"')
    assert (String.Char, '`"') in found and (String.Char, "`%") in found


def test_signs_of_two_characters_are_one_token():
    assert [value for kind, value in tokens(NeslLexer(), "s <- i -> a => b") if kind is Operator] == ["<-", "->", "=>"]


def test_a_session():
    found = tokens(NeslSessionLexer(), "> a = [3];\na = [3] : [int]\n> :vcode #a\nFUNC MAIN\n")
    assert found[0] == (Generic.Prompt, "> ")
    assert (Generic.Output, "a = [3] : [int]\n") in found and (Generic.Output, "FUNC MAIN\n") in found
    assert (Keyword.Pseudo, ":vcode") in found and (Operator, "#") in found


def test_vcode():
    found = kinds(VcodeLexer(), "FUNC MAIN { n -> n! }\nCONST FLOAT (-1.5 2)\n+_SCAN INT\n- INT\nCALL 2-x\n= INT\nRET")
    assert found["MAIN"] is Name.Function and found["2-x"] is Name.Function
    assert found["{ n -> n! }"] in Comment
    assert found["-1.5"] is Number.Float and found["2"] is Number.Integer
    assert found["+_SCAN"] is Name.Builtin and found["-"] is Name.Builtin and found["="] is Name.Builtin
    assert found["FLOAT"] is Keyword.Type and found["RET"] is Keyword


def test_a_kernel():
    found = kinds(VcodeLexer(), "KERNEL 0 smxv (x FLOAT) OVER x\ng = BPERMUTE FLOAT v i\ns = +_REDUCE FLOAT g\nOUT s\nRET")
    assert found["BPERMUTE"] is Name.Builtin and found["+_REDUCE"] is Name.Builtin
    assert found["OVER"] is Keyword and found["OUT"] is Keyword and found["g"] is Name


@pytest.mark.parametrize("lexer", [NeslLexer(), VcodeLexer()], ids=lambda lexer: lexer.name)
def test_the_examples_have_no_errors(lexer):
    files = [file for pattern in lexer.filenames for file in (ROOT / "examples").glob(pattern)]
    assert len(files) > 3
    for file in files:
        text = file.read_text(encoding="latin-1")
        found = list(lexer.get_tokens(text))
        assert [value for kind, value in found if kind in Error] == [], file
        assert "".join(value for _, value in found).strip() == text.strip(), file


def test_pygments_finds_them_by_name():
    entries = [entry for package in metadata.distributions() for entry in package.entry_points
               if entry.group == "pygments.lexers" and entry.value.startswith("nesl.")]
    if not entries:
        pytest.skip("the package was installed without metadata")
    assert {entry.load() for entry in entries} == {NeslLexer, NeslSessionLexer, VcodeLexer}
    from pygments.lexers import get_lexer_by_name

    for name in ("nesl", "nesl-session", "vcode", "fcode"):
        assert name in get_lexer_by_name(name).aliases

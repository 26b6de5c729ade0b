"""The TextMate grammar, the package for VS Code, and the Vim and Emacs modes. Vim, Emacs and Node.js run only if they are installed; each test that is left out
says so."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from textmate import Grammar

ROOT = Path(__file__).resolve().parents[2]
EDITORS = ROOT / "packaging/editors"
GRAMMAR = EDITORS / "vscode/syntaxes/nesl.tmLanguage.json"
EXAMPLES = sorted((ROOT / "examples").glob("*.nesl"))

# A line of a program, a part of it that occurs once, and the kind of that part.
SAMPLES = [
    ("function quicksort(s) = s;", "function", "declaration"),
    ("function quicksort(s) = s;", "quicksort", "function"),
    ("datatype point(x : float, y : float);", "point", "type name"),
    ("datatype point(x : float, y : float);", "x : float"[4:], "type"),
    ("a = if b then c else d;", "if", "control"),
    ("a = if b then c else d;", "then", "control"),
    ("a = IF b then c else d;", "IF", "control"),
    ("a = let b = 1 in b;", "let", "control"),
    ("a = let b = 1 in b;", " in"[1:], "control"),
    ("a = b and c;", "and", "word operator"),
    ("a = t;", "t", "constant"),
    ("a = plus_scan(b);", "plus_scan", "library"),
    ("a = sum(b);", "sum", "library"),
    ("a = my_sum(b);", "my_sum", "name"),
    ("a = sums(b);", "sums", "name"),
    ("a = letter;", "letter", "name"),
    ("a = x~in;", "x~in", "name"),
    ("% a comment %", " a comment ", "comment"),
    ("a = 1; % b % c = 2;", " b ", "comment"),
    ('a = "text % \\" end" ++ b;', 'text % ', "string"),
    ('a = "text % \\" end" ++ b;', ' end', "string"),
    ('a = "text\\n";', "\\n", "escape"),
    ("a = `% ; b = 1;", "`%", "character"),
    ('a = `" ; b = 1;', '`"', "character"),
    ("a = 1.5e-3 + b;", "1.5e-3", "float"),
    ("a = 2e9 + b;", "2e9", "float"),
    ("a = 64K + b;", "64K", "integer"),
    ("a = x1 + 7;", "7", "integer"),
    ("a = x1 + b;", "x1", "name"),
    ('test "sorts" = b;', "test", "declaration"),
    ('test "sorts" for s : [int] = b;', "for", "control"),
    ("a = test + b;", "test", "name"),
    ("a = p.if_x + b;", "if_x", "member"),
    ("function g(x) : a -> a :: (a in number) = x;", "number", "type"),
    ("a = b ++ c;", "++", "operator"),
]

TEXTMATE = {
    "declaration": "keyword.declaration.nesl", "function": "entity.name.function.nesl", "type name": "entity.name.type.nesl", "type": "storage.type.nesl",
    "control": "keyword.control.nesl", "word operator": "keyword.operator.word.nesl", "constant": "constant.language.nesl",
    "library": "support.function.nesl", "name": "variable.other.nesl", "comment": "comment.block.nesl", "string": "string.quoted.double.nesl",
    "escape": "constant.character.escape.nesl", "character": "string.quoted.single.nesl", "float": "constant.numeric.float.nesl",
    "integer": "constant.numeric.integer.nesl", "member": "variable.other.member.nesl", "operator": "keyword.operator.nesl",
}
VIM = {
    "declaration": ["neslDeclaration", "neslTrial"], "function": ["neslDefined"], "type name": ["neslDatatype"], "type": ["neslType", "neslClass"],
    "control": ["neslControl"], "word operator": ["neslOperatorWord"], "constant": ["neslConstant"], "library": ["neslFunction"], "name": [""],
    "comment": ["neslComment"], "string": ["neslString"], "escape": ["neslEscape"], "character": ["neslChar"], "float": ["neslFloat"],
    "integer": ["neslInt"], "member": ["neslField"], "operator": ["neslOperator"],
}
EMACS = {
    "declaration": "font-lock-keyword-face", "function": "font-lock-function-name-face", "type name": "font-lock-type-face", "type": "font-lock-type-face",
    "control": "font-lock-keyword-face", "word operator": "font-lock-keyword-face", "constant": "font-lock-constant-face",
    "library": "font-lock-builtin-face", "name": "nil", "comment": "font-lock-comment-face", "string": "font-lock-string-face",
    "escape": "font-lock-string-face", "character": "font-lock-string-face",
}

# A program as `nesl fmt` leaves it: the modes must indent it like this.
LAYOUT = """\
function f(s) =
  if #s < 2 then
    s
  else
    let
      p = s[0];
      q = {x in s
           | x < p};
      w = foo(1,
              2)
    in
      let z = 3;
          y = 4
      in p + q;
function g(x) = let a = 1;
                    b = 2
                in a + b;
% if (let { %
x = [1, 2,
     3];
s = "if (";
y = `(;
z = {
  a : a in s
};
"""


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


# Lines of the examples that the modes may indent otherwise, of all: nesl fmt puts the rest of an operand below its beginning.
MOST_CHANGED = 0.01


def changed_lines(texts):
    """The part of the lines that differ between the examples and the same texts as an editor has indented them."""
    pairs = [(one, other) for file, text in zip(EXAMPLES, texts) for one, other in zip(file.read_text().splitlines(), text.splitlines(), strict=True)]
    return sum(one != other for one, other in pairs) / len(pairs)


class Words(unittest.TestCase):
    def test_all_highlighting_has_the_words_of_the_compiler(self):
        done = run(sys.executable, EDITORS / "write_modes.py", "--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_the_check_finds_a_missing_word(self):
        with tempfile.TemporaryDirectory() as folder:
            for file in ["packaging/editors", "nesl-compiler/src/syntax", "nesl-compiler/src/types"]:
                shutil.copytree(ROOT / file, Path(folder, file))
            for file in ["docs/library.md", "python/nesl/highlighting.py", "playground/page/highlight.js"]:
                Path(folder, file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, Path(folder, file))
            syntax = Path(folder, "packaging/editors/vim/syntax/nesl.vim")
            syntax.write_text(syntax.read_text().replace("keyword neslControl if ", "keyword neslControl "))
            script = Path(folder, "packaging/editors/write_modes.py")
            done = run(sys.executable, script, "--check")
            self.assertEqual((done.returncode, done.stdout), (1, "packaging/editors/vim/syntax/nesl.vim is out of date: run packaging/editors/write_modes.py\n"))
            self.assertEqual(run(sys.executable, script).returncode, 0)
            self.assertEqual(run(sys.executable, script, "--check").returncode, 0)


class TextMate(unittest.TestCase):
    def setUp(self):
        self.grammar = Grammar(json.loads(GRAMMAR.read_text()))

    def test_samples(self):
        for line, part, kind in SAMPLES:
            begin = line.index(part)
            scopes = self.grammar.scopes(line)[begin:begin + len(part)]
            self.assertEqual(set(scopes), {TEXTMATE[kind]}, (line, part))

    def test_examples_have_the_tokens_of_the_pygments_lexer(self):
        if importlib.util.find_spec("pygments") is None:
            self.skipTest("Pygments is not installed")
        from pygments.token import Comment, Keyword, Name, Number, Operator, String
        spec = importlib.util.spec_from_file_location("highlighting", ROOT / "python/nesl/highlighting.py")
        highlighting = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(highlighting)
        kinds = [(Comment, "comment."), (String, "string."), (Number, "constant.numeric."), (Operator.Word, "keyword.operator.word."), (Operator, "keyword.operator."),
                 (Keyword.Type, "storage.type."), (Keyword.Constant, "constant.language."), (Keyword.Declaration, "keyword.declaration."),
                 (Keyword, "keyword.control."), (Name.Function, "entity.name.function."), (Name.Class, "entity.name.type.")]
        for file in EXAMPLES:
            text = file.read_text()
            scopes = self.grammar.scopes(text)
            at = 0
            for kind, value in highlighting.NeslLexer(stripnl=False, ensurenl=False).get_tokens(text):
                wanted = next((scope for one, scope in kinds if kind in one), None)
                if wanted is not None:
                    for k in range(at, at + len(value)):
                        self.assertTrue((scopes[k] or "").startswith((wanted, "constant.character.escape.")), (file.name, text[:k].count("\n") + 1, value, scopes[k]))
                at += len(value)

    def test_unfinished_and_wrong_texts(self):
        for text in "", "%", '"', "`", '"\\', '"\\q"', "1e", "function", ".", "é😀\n" * 3:
            self.assertEqual(len(self.grammar.scopes(text)), len(text))
        self.assertEqual(self.grammar.scopes('"\\q"')[1], "invalid.illegal.escape.nesl")
        self.assertEqual(self.grammar.scopes("% a\nb % c")[4:], ["comment.block.nesl"] * 3 + [None, "variable.other.nesl"])


class VisualStudioCode(unittest.TestCase):
    def test_the_package_is_complete_and_reproducible(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [str(Path(folder, name)) for name in ("one.vsix", "two.vsix")]
            for name in names:
                done = run(sys.executable, EDITORS / "make_vsix.py", name)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(Path(names[0]).read_bytes(), Path(names[1]).read_bytes())
            with zipfile.ZipFile(names[0]) as archive:
                self.assertIsNone(archive.testzip())
                files = {name: archive.read(name).decode() for name in archive.namelist()}
        package = json.loads(files["extension/package.json"])
        manifest = ElementTree.fromstring(files["extension.vsixmanifest"])
        space = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
        identity = manifest.find("v:Metadata/v:Identity", space)
        self.assertEqual((identity.get("Id"), identity.get("Version"), identity.get("Publisher")), ("nesl", package["version"], "nesl"))
        for asset in manifest.findall("v:Assets/v:Asset", space):
            self.assertIn(asset.get("Path"), files)
        # Everything that the package names is in it, and what its code requires.
        named = [package["main"], *(one["configuration"] for one in package["contributes"]["languages"]), *(one["path"] for one in package["contributes"]["grammars"])]
        named += re.findall(r"require\('(\./\w+)'\)", files["extension/extension.js"])
        for name in named:
            name = "extension/" + name.removeprefix("./")
            self.assertTrue(name in files or name + ".js" in files, name)
        types = ElementTree.fromstring(files["[Content_Types].xml"])
        suffixes = {one.get("Extension") for one in types}
        self.assertEqual({Path(name).suffix for name in files} - {".xml"} - suffixes, set())
        language = json.loads(files["extension/language-configuration.json"])
        self.assertEqual(re.findall(language["wordPattern"], "a_1 + x~in * 3é(_b.c"), ["a_1", "x~in", "é", "_b", "c"])

    def test_a_package_that_cannot_be_written_is_an_error(self):
        done = run(sys.executable, EDITORS / "make_vsix.py", "/none/x.vsix")
        self.assertEqual((done.returncode, done.stderr), (1, "make_vsix.py: /none/x.vsix cannot be written: No such file or directory\n"))

    def test_the_extension_with_a_stand_in_for_the_editor(self):
        node = shutil.which("node")
        if node is None:
            self.skipTest("Node.js is not installed")
        done = run(node, Path(__file__).parent / "vscode_test.js", EDITORS / "vscode", os.environ["NESL"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


@unittest.skipUnless(shutil.which("vim"), "Vim is not installed")
class Vim(unittest.TestCase):
    def vim(self, file, *commands):
        """Runs commands in a buffer with a file, and returns what they write to the variable g:out, a list of lines."""
        with tempfile.TemporaryDirectory() as folder:
            out, script = Path(folder, "out"), Path(folder, "script.vim")
            script.write_text("\n".join(["let g:out = []", f"edit {file}", *commands, f"call writefile(g:out, '{out}')", "qall!"]) + "\n")
            done = run("vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "--cmd", f"set runtimepath^={EDITORS}/vim", "-c", "filetype plugin indent on", "-c", "syntax on",
                       "-S", script, stdin=subprocess.DEVNULL)
            self.assertTrue(out.exists(), done.stdout + done.stderr)
            return out.read_text().split("\n")[:-1]

    def test_highlighting(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "samples.nesl")
            file.write_text("".join(line + "\n" for line, _, _ in SAMPLES))
            places = [(k + 1, line.index(part) + 1 + column) for k, (line, part, _) in enumerate(SAMPLES) for column in (0, len(part) - 1)]
            found = self.vim(file, "call add(g:out, &filetype)", *(f"call add(g:out, synIDattr(synID({line}, {column}, 1), 'name'))" for line, column in places))
        self.assertEqual(found[0], "nesl")
        for k, (line, part, kind) in enumerate(SAMPLES):
            for name in found[1 + 2 * k:3 + 2 * k]:
                self.assertIn(name, VIM[kind], (line, part))

    def indented(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "layout.nesl")
            file.write_text("".join(line.strip() + "\n" for line in text.splitlines()))
            return self.vim(file, "normal gg=G", "let g:out = getline(1, '$')")

    def test_indentation(self):
        self.assertEqual(self.indented(LAYOUT), LAYOUT.splitlines())

    def test_indentation_of_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = ["\n".join(self.vim(shutil.copy(file, folder), "normal gg=G", "let g:out = getline(1, '$')")) for file in EXAMPLES]
            self.assertLess(changed_lines(texts), MOST_CHANGED)

    def test_settings(self):
        file = EXAMPLES[0]
        self.assertEqual(self.vim(file, "let g:out = [&commentstring, &shiftwidth, &expandtab]"), ["% %s %", "2", "1"])


@unittest.skipUnless(shutil.which("emacs"), "Emacs is not installed")
class Emacs(unittest.TestCase):
    def emacs(self, file, expression):
        """The text that an expression gives in a buffer with a file."""
        code = f'(princ (with-current-buffer (find-file-noselect "{file}") (font-lock-ensure) {expression}))'
        done = run("emacs", "-Q", "--batch", "-L", EDITORS / "emacs", "-l", "nesl-mode", "--eval", code)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_highlighting(self):
        samples = [sample for sample in SAMPLES if sample[2] in EMACS]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "samples.nesl")
            file.write_text("".join(line + "\n" for line, _, _ in samples))
            offset, places = 1, []
            for line, part, _ in samples:
                places += [offset + line.index(part), offset + line.index(part) + len(part) - 1]
                offset += len(line) + 1
            found = self.emacs(file, f"(mapconcat (lambda (p) (format \"%s\" (get-text-property p 'face))) '({' '.join(map(str, places))}) \"\\n\")").split("\n")
        for k, (line, part, kind) in enumerate(samples):
            faces = {face.replace("comment-delimiter", "comment") for face in found[2 * k:2 * k + 2]}
            self.assertEqual(faces, {EMACS[kind]}, (line, part))

    def test_indentation(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "layout.nesl")
            file.write_text("".join(line.strip() + "\n" for line in LAYOUT.splitlines()))
            self.assertEqual(self.emacs(file, "(progn (indent-region (point-min) (point-max)) (buffer-string))"), LAYOUT)

    def test_indentation_of_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            copies = [shutil.copy(file, folder) for file in EXAMPLES]
            names = " ".join(f'"{copy}"' for copy in copies)
            self.emacs(copies[0], f"(dolist (name '({names})) (with-current-buffer (find-file-noselect name) (indent-region (point-min) (point-max)) (save-buffer)))")
            self.assertLess(changed_lines([Path(copy).read_text() for copy in copies]), MOST_CHANGED)

    def test_the_mode_and_its_language_server(self):
        self.assertEqual(self.emacs(EXAMPLES[0], "major-mode"), "nesl-mode")
        code = ("(condition-case nil (progn (require 'eglot) (princ (funcall (cdr (assq 'nesl-mode eglot-server-programs)))))"
                " (file-missing (princ \"no eglot\")))")
        done = run("emacs", "-Q", "--batch", "-L", EDITORS / "emacs", "-l", "nesl-mode", "--eval", code)
        self.assertIn(done.stdout, ["(nesl lsp)", "no eglot"])

    def test_the_mode_compiles_without_warnings(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(EDITORS / "emacs/nesl-mode.el", folder)
            done = run("emacs", "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", Path(folder, "nesl-mode.el"))
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()

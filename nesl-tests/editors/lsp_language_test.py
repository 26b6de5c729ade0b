"""The answers of `nesl lsp` about programs: diagnostics, hovers, definitions, references, renaming, completion and the rest."""

import os
import tempfile
import unittest
from pathlib import Path

from lsp_client import ABILITIES, Client, Failure, URI, applied, at, places, span

ALL = {"context": {"includeDeclaration": True}}

PROGRAM = """\
% Sorts a sequence.
  Equal elements stay. %
function quicksort(s) =
  if #s < 2 then s
  else let p = s[#s / 2] in quicksort({x in s | x < p}) ++ [p] ++ quicksort({x in s | x > p});
datatype point(x : float, y : float);
function norm(p : point) : float = sqrt(p.x * p.x + p.y * p.y);
function twice(a, factor := 2) "factor times a" = a * factor;
v = twice(3, factor := 4);
% test "sorts" = quicksort([3, v]) == [3, 12]; %
test "any" for q : [int] = quicksort(q) == sort(q);
"""


def messages(found):
    return [d["message"] for d in found]


class Diagnostics(unittest.TestCase):
    def test_several_errors_with_notes_as_related_information(self):
        with Client() as client:
            client.open("a = lenght([1]);\nb = if t then 1 else \"a\";\nc = (1;\nd = quicksortt(3);\nfunction quicksort(s) = s;\n")
            found = client.diagnostics()
            self.assertEqual([(d["severity"], d["source"], span(d["range"])) for d in sorted(found, key=lambda d: span(d["range"]))],
                             [(1, "nesl", (0, 4, 0, 10)), (1, "nesl", (1, 21, 1, 24)), (1, "nesl", (2, 4, 2, 5)), (1, "nesl", (3, 4, 3, 14))])
            by_line = {d["range"]["start"]["line"]: d for d in found}
            self.assertEqual((by_line[0]["code"], by_line[2]["code"]), ("unbound", "syntax"))
            self.assertEqual([n["message"] for n in by_line[0]["relatedInformation"]], ["did you mean length?"])
            then = by_line[1]["relatedInformation"][0]
            self.assertEqual((then["message"], span(then["location"]["range"]), then["location"]["uri"]), ("the then branch", (1, 14, 1, 15), URI))

    def test_notes_are_part_of_the_message_for_other_editors(self):
        with Client(abilities={}) as client:
            client.open("a = lenght([1]);\nb = if t then 1 else \"a\";\n")
            first, second = messages(client.diagnostics())
            self.assertEqual(first, "lenght is undefined\ndid you mean length?")
            self.assertIn("\nline 2: the then branch", second)

    def test_warnings_and_tests_and_values_that_cannot_be_compiled(self):
        with Client() as client:
            client.open("function f(x) : a -> a = x;\ntest \"one\" = 1;\n% test \"two\" = g(1); %\nh = let f = if t then (x => x + 1) else (y => y) in f(3);\n")
            found = {d["range"]["start"]["line"]: d for d in client.diagnostics()}
            self.assertEqual(found[0]["severity"], 2)
            self.assertIn("a test is a truth value", found[1]["message"])
            self.assertEqual((found[2]["message"], span(found[2]["range"])), ("g is undefined", (2, 15, 2, 16)))
            self.assertIn("the same function", found[3]["message"])

    def test_a_main_that_cannot_be_called_is_an_error(self):
        with Client() as client:
            client.open("function main(x : [(int, int)]) = 1;\n")
            found = client.diagnostics()
            self.assertIn("which no argument can have", found[0]["message"])
            self.assertEqual(span(found[0]["range"]), (0, 0, 0, 35))
            client.change("function main(x : [(int, int)]) = 1;\n2;\n")
            self.assertEqual(client.diagnostics(), [])

    def test_errors_go_when_they_are_repaired(self):
        with Client() as client:
            client.open("x = 1 +;\n")
            self.assertEqual(len(client.diagnostics()), 1)
            client.change(((0, 7), (0, 7), " 2"))
            self.assertEqual(client.diagnostics(), [])
            client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
            closed = client.receive()["params"]
            self.assertEqual((closed["uri"], closed["diagnostics"]), (URI, []))

    def test_loaded_files(self):
        with tempfile.TemporaryDirectory() as folder, Client() as client:
            good, bad, main = (Path(folder, name) for name in ("good file.nesl", "bad.nesl", "main.nesl"))
            good.write_text("% Doubles. %\nfunction double(x) = x * 2;\n")
            bad.write_text("one = 1;\ntwo = on;\n")
            Path(folder, "again.nesl").write_text("load \"./again.nesl\";\n" * 3)
            uri = main.as_uri()
            client.open('load "good file";\nload "bad.nesl";\nload "none";\nload "again.nesl";\nload "." ++ "x";\ndouble(one) + unknown;\n', uri)
            found = client.diagnostics(uri)
            self.assertEqual([d["range"]["start"]["line"] for d in found], [1, 2, 3, 4])
            self.assertEqual(found[0]["message"], f"the file has errors: {bad}:2:7: on is undefined")
            self.assertEqual(found[1]["message"], f"cannot open {folder}/none: No such file or directory")
            self.assertIn("without end", found[2]["message"])
            self.assertEqual(found[3]["severity"], 2)
            self.assertIn("Doubles.", client.hover(5, 1, uri))
            self.assertEqual(client.ask("definition", 5, 1, uri), {"uri": good.as_uri(), "range": {"start": at(1, 9), "end": at(1, 15)}})
            # An open file counts as it is in the editor; a saved one as it is on disk.
            client.open("one = 1;\n", bad.as_uri())
            client.version += 1
            client.change('load "bad.nesl";\none;\n', uri=uri)
            self.assertEqual(client.diagnostics(uri), [])
            self.assertEqual(sorted((p["uri"], *span(p["range"])) for p in client.ask("references", 0, 1, bad.as_uri(), **ALL)),
                             sorted([(bad.as_uri(), 0, 0, 0, 3), (uri, 1, 0, 1, 3)]))
            edits = client.ask("rename", 1, 1, uri, newName="eins")["changes"]
            self.assertEqual({key: [e["newText"] for e in value] for key, value in edits.items()}, {uri: ["eins"], bad.as_uri(): ["eins"]})
            client.notify("textDocument/didClose", {"textDocument": {"uri": bad.as_uri()}})
            client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            client.version += 1
            client.change('load "bad.nesl";\none;\n', uri=uri)
            self.assertEqual(len(client.diagnostics(uri)), 1)


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()
        cls.client = Client(environment={"XDG_CACHE_HOME": cls.cache.name})
        cls.client.open(PROGRAM)
        assert cls.client.diagnostics() == [], cls.client.diagnostics()

    @classmethod
    def tearDownClass(cls):
        cls.client.shut_down()
        cls.cache.cleanup()

    def references(self, line, character, declaration=True):
        return places(self.client.ask("references", line, character, context={"includeDeclaration": declaration}))

    def test_hover_has_type_and_documentation(self):
        for (line, character), signature, documentation in [
            ((2, 10), "quicksort(s) : [a] -> [a] :: (a in ordinal)", "Sorts a sequence.\nEqual elements stay."),
            ((4, 28), "quicksort(s) : [a] -> [a] :: (a in ordinal)", "Sorts a sequence.\nEqual elements stay."),
            ((9, 20), "quicksort(s) : [a] -> [a] :: (a in ordinal)", "Sorts a sequence.\nEqual elements stay."),
            ((4, 11), "p : a :: (a in ordinal)", None),
            ((6, 15), "p : point", None),
            ((6, 42), "x : float", None),
            ((6, 20), "point(x, y) : (float, float) -> point", None),
            ((7, 10), "twice(a, factor) : (a, a) -> a :: (a in number)", "factor times a"),
            ((8, 0), "v : int", None),
            ((8, 14), "factor : a :: (a in number)", None),
            ((10, 15), "q : [int]", None),
            ((6, 37), "sqrt : float -> float", "square root"),
            ((3, 5), "# : [a] -> int :: (a in any)", "number of elements"),
            ((6, 44), "* : (a, a) -> a :: (a in number)", "Product; ints wrap around."),
            ((10, 46), "sort(s) : [a] -> [a] :: (a in ordinal)", "ascending order"),
            ((3, 3), "if : (bool, a, a) -> a", "Only one is computed."),
        ]:
            found = self.client.hover(line, character)
            self.assertIsNotNone(found, (line, character))
            self.assertTrue(found.startswith(f"```nesl\n{signature}\n```"), (signature, found))
            if documentation is None:
                self.assertTrue(found.endswith("```"), found)
            else:
                self.assertIn(documentation.lower(), found.lower())
        for nothing in (0, 3), (5, 17), (9, 10), (11, 0):
            self.assertIsNone(self.client.hover(*nothing), nothing)

    def test_work_and_depth_are_a_paragraph_of_their_own(self):
        with Client() as client:
            client.open("contains([1], 1);\ngroup_by([1], [2]);\n")
            texts = [client.hover(0, 3), client.hover(1, 3)]
            self.assertTrue(any("work" in text.lower() and "depth" in text for text in texts), texts)

    def test_hover_has_the_cost_of_functions(self):
        with Client() as client:
            client.open("function cube(x) = x * x * x;\n% Adds. %\nfunction both(s) = sum(s) + #s;\ncube(both([1]));\nmean([1.0]);\n")
            self.assertTrue(client.hover(0, 10).endswith("```\n\nWork 2, depth 2."), client.hover(0, 10))
            self.assertTrue(client.hover(3, 6).endswith("Adds.\n\nDepth at most 3, whatever the values."), client.hover(3, 6))
            self.assertTrue(client.hover(3, 0).endswith("Work 2, depth 2."))
            self.assertIn("depth 1 for n elements", client.hover(2, 20))
            self.assertEqual(client.hover(4, 1).count("Work "), 1, client.hover(4, 1))

    def test_plain_text_for_editors_without_markdown(self):
        with Client(abilities={}) as client:
            client.open(PROGRAM)
            self.assertEqual(client.hover(2, 10), "quicksort(s) : [a] -> [a] :: (a in ordinal)\n\nSorts a sequence.\nEqual elements stay.")

    def test_hover_works_in_statements_with_errors(self):
        with Client() as client:
            client.open("function f(count) = count + 1.0 + lenght(count) + 1;\nfunction g(x) = sqrt(x;\n")
            self.assertIn("count : ", client.hover(0, 21))
            self.assertIn("sqrt : float -> float", client.hover(1, 17))

    def test_definitions(self):
        for place, wanted in {
            (4, 30): (2, 9, 2, 18),  # the function itself
            (4, 39): (4, 39, 4, 40),  # x in a binding without body
            (4, 48): (4, 39, 4, 40),
            (4, 52): (4, 11, 4, 12),
            (6, 20): (5, 9, 5, 14),  # a datatype in a type
            (6, 42): (5, 15, 5, 16),  # a field
            (8, 14): (7, 18, 7, 24),  # an optional argument
            (9, 31): (8, 0, 8, 1),  # a variable in a test in a comment
            (10, 37): (10, 15, 10, 16),
        }.items():
            found = self.client.ask("definition", *place)
            self.assertIsNotNone(found, place)
            self.assertEqual((found["uri"], span(found["range"])), (URI, wanted), place)
        self.assertIsNone(self.client.ask("definition", 3, 3))

    def test_definitions_of_the_library_are_shown_in_its_text(self):
        found = self.client.ask("definition", 10, 45)
        file = Path(found["uri"].removeprefix("file://"))
        self.assertEqual(file.parent, Path(self.cache.name, "nesl", "library"))
        line, begin, _, end = span(found["range"])
        self.assertEqual(file.read_text().split("\n")[line][begin:end], "sort")
        with Client(environment={"XDG_CACHE_HOME": "/dev/null"}) as client:  # no folder can be made there
            client.open(PROGRAM)
            self.assertIsNone(client.ask("definition", 10, 45))

    def test_references(self):
        self.assertEqual(self.references(2, 10), [(2, 9, 2, 18), (4, 28, 4, 37), (4, 66, 4, 75), (9, 17, 9, 26), (10, 27, 10, 36)])
        self.assertEqual(self.references(2, 10, declaration=False)[0], (4, 28, 4, 37))
        self.assertEqual(self.references(5, 16), [(5, 15, 5, 16), (6, 42, 6, 43), (6, 48, 6, 49)])
        self.assertEqual(self.references(7, 19), [(7, 18, 7, 24), (7, 54, 7, 60), (8, 13, 8, 19)])
        self.assertEqual(self.references(4, 39), [(4, 39, 4, 40), (4, 48, 4, 49)])  # not the x of the other braces
        self.assertEqual(self.references(3, 3), [])
        self.assertEqual(places(self.client.ask("documentHighlight", 8, 0)), [(8, 0, 8, 1), (9, 31, 9, 32)])

    def rename(self, line, character, name):
        edits = self.client.ask("rename", line, character, newName=name)["changes"]
        self.assertEqual(list(edits), [URI])
        return applied(PROGRAM, edits[URI])

    def test_rename(self):
        self.assertEqual(self.rename(4, 30, "order"), PROGRAM.replace("quicksort", "order"))
        self.assertEqual(self.rename(6, 48, "east"), PROGRAM.replace("(x : float", "(east : float").replace("p.x", "p.east"))
        self.assertEqual(self.rename(8, 14, "n"), PROGRAM.replace("factor :=", "n :=").replace("* factor", "* n"))
        self.assertEqual(self.rename(9, 31, "VALUE"), PROGRAM.replace("v = ", "VALUE = ").replace("[3, v]", "[3, VALUE]"))
        self.assertEqual(self.rename(6, 20, "place"), PROGRAM.replace("point", "place"))

    def test_renaming_that_would_change_the_program_is_refused(self):
        for place, name, message in [
            ((4, 30), "sort", "quicksort cannot be renamed to sort"),  # the test would compare sort with itself
            ((4, 11), "x", "p cannot be renamed to x"),
            ((4, 11), "s", "p cannot be renamed to s"),
            ((5, 15), "y", "x cannot be renamed to y"),
            ((8, 0), "if", "'if' cannot be a name"),
            ((8, 0), "a b", "'a b' cannot be a name"),
            ((8, 0), "", "'' cannot be a name"),
            ((8, 0), "a;", "'a;' cannot be a name"),
            ((10, 45), "order", "sort belongs to the library"),
            ((3, 3), "order", "there is no name here"),
        ]:
            with self.assertRaises(Failure, msg=(place, name)) as failure:
                self.client.ask("rename", *place, newName=name)
            self.assertTrue(str(failure.exception).startswith(message), failure.exception)
        self.assertEqual(span(self.client.ask("prepareRename", 4, 30)), (4, 28, 4, 37))
        with self.assertRaises(Failure):
            self.client.ask("prepareRename", 10, 45)
        with Client() as client:
            client.open("a = 1;\nb = (a;\n")
            with self.assertRaises(Failure) as failure:
                client.ask("rename", 0, 0, newName="c")
            self.assertIn("errors of syntax", str(failure.exception))

    def test_names_that_bind_and_refer_at_once_are_renamed_in_both_meanings(self):
        with Client() as client:
            text = "s = [1, 2];\nw = {s + 1 : s};\n{s};\n"
            client.open(text)
            edits = client.ask("rename", 0, 0, newName="values")["changes"][URI]
            self.assertEqual(applied(text, edits), text.replace("s", "values"))

    def test_a_declaration_belongs_to_its_definition(self):
        with Client() as client:
            text = "function even(x) : int -> bool;\nfunction odd(n) = if n == 0 then f else even(n - 1);\nfunction even(n) = if n == 0 then t else odd(n - 1);\n"
            client.open(text)
            self.assertEqual(client.diagnostics(), [])
            self.assertEqual(places(client.ask("references", 1, 43, **ALL)), [(0, 9, 0, 13), (1, 40, 1, 44), (2, 9, 2, 13)])
            self.assertEqual(span(client.ask("definition", 1, 43)["range"]), (2, 9, 2, 13))

    def test_symbols(self):
        found = self.client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        self.assertEqual([(s["name"], s["kind"], s["range"]["start"]["line"]) for s in found],
                         [("quicksort", 12, 2), ("point", 23, 5), ("norm", 12, 6), ("twice", 12, 7), ("v", 13, 8), ("any", 24, 10)])
        self.assertEqual([(part["name"], span(part["range"])) for part in found[1]["children"]], [("x", (5, 15, 5, 16)), ("y", (5, 26, 5, 27))])
        self.assertEqual(span(found[0]["range"]), (2, 0, 4, 93))
        self.assertEqual(span(found[0]["selectionRange"]), (2, 9, 2, 18))
        with Client(abilities={}) as client:
            client.open("function f(x) = (x;\nfunction g(x) = x;\n(a, b) = (1, 2);\nbench \"b\" = 1;\n")
            found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
            self.assertEqual([s["name"] for s in found], ["f", "g", "a", "b", "b"])
            self.assertEqual(span(found[1]["location"]["range"]), (1, 0, 1, 17))


class Writing(unittest.TestCase):
    def labels(self, text, line, character):
        with Client() as client:
            client.open(text)
            found = client.ask("completion", line, character)
            return {item["label"]: item for item in found}

    def test_completion(self):
        text = "function quicksort(sequence) =\n  let pivot = sequence[0]; pieces = 3 in QUI + pi + se\n"
        found = self.labels(text, 1, 44)
        self.assertEqual(list(found), ["quicksort"])  # from the unfinished statement itself
        self.assertEqual(found["quicksort"]["textEdit"], {"range": {"start": at(1, 41), "end": at(1, 44)}, "newText": "quicksort"})
        self.assertEqual(sorted(self.labels(text, 1, 49)), ["pi", "picture", "pieces", "pivot"])
        self.assertIn("sequence", self.labels(text, 1, 54))
        found = self.labels("datatype point(x : float, y : float);\ncount = 3;\nco", 2, 2)
        self.assertEqual((found["count"]["kind"], found["count"]["detail"]), (6, "int"))
        self.assertEqual(found["cos"]["kind"], 3)
        self.assertEqual(self.labels("datatype point(x : float, y : float);\npo", 1, 2)["point"]["kind"], 22)
        self.assertEqual(self.labels("i", 0, 1)["if"]["kind"], 14)
        everything = self.labels("1 + ;", 0, 4)
        self.assertGreater(len(everything), 200)
        self.assertIn("sum", everything)

    def test_completion_of_fields(self):
        found = self.labels("datatype point(east : float, north : float);\nfunction f(p) = p.", 1, 18)
        self.assertEqual([(item["label"], item["kind"], item["detail"]) for item in found.values()],
                         [("east", 5, "field of point"), ("north", 5, "field of point")])

    def test_no_completion_in_comments_strings_and_numbers(self):
        for text, character in ("% su %", 4), ('"su"', 3), ('"su', 3), ("% su", 4), ("12", 2), ("`s", 2):
            self.assertEqual(self.labels(text, 0, character), {}, text)

    def test_completions_are_documented_when_they_are_looked_at(self):
        with Client() as client:
            client.open("su")
            item = next(item for item in client.ask("completion", 0, 2) if item["label"] == "sum")
            self.assertIn("The sum", client.request("completionItem/resolve", item)["documentation"])

    def test_signature_help(self):
        with Client() as client:
            client.open('function f(a : int, b : [float]) "Does it." : float = sum(b);\n'.replace('"Does it." : float', ': float "Does it."') + "g = f(1, [2.0; \nmax(f(1, ")
            found = client.ask("signatureHelp", 2, 9)
            signature = found["signatures"][0]
            self.assertEqual((signature["label"], signature["documentation"], found["activeParameter"]), ("f(a : int, b : [float])", "Does it.", 1))
            self.assertEqual([signature["label"][slice(*p["label"])] for p in signature["parameters"]], ["a : int", "b : [float]"])
            found = client.ask("signatureHelp", 2, 4)
            signature = found["signatures"][0]
            self.assertTrue(signature["label"].startswith("max"))
            self.assertEqual((len(signature["parameters"]), found["activeParameter"]), (2, 0))
            for nothing in (0, 0), (0, 12):
                self.assertIsNone(client.ask("signatureHelp", *nothing), nothing)

    def test_formatting(self):
        with Client() as client:
            text = "a=1;\nb = 2;\nfunction f(x)=\nx+ 1;\nc = 3;\n"
            client.open(text)
            edits = client.request("textDocument/formatting", {"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": True}})
            formatted = applied(text, edits)
            self.assertEqual(formatted, "a = 1;\nb = 2;\nfunction f(x) =\n  x + 1;\nc = 3;\n")
            self.assertEqual(span(edits[0]["range"]), (0, 0, 4, 0))  # the last line stays as it is
            client.change(formatted)
            self.assertEqual(client.request("textDocument/formatting", {"textDocument": {"uri": URI}}), [])
            client.change("a = 1;\nb = (;\n")
            with self.assertRaises(Failure) as failure:
                client.request("textDocument/formatting", {"textDocument": {"uri": URI}})
            self.assertIn("line 2 has an error", str(failure.exception))


class QuickFixes(unittest.TestCase):
    def fixes(self, client, text, **context):
        client.change(text)
        lines = text.split("\n")
        whole = {"start": at(0, 0), "end": at(len(lines), 0)}
        return client.request("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": whole, "context": {"diagnostics": [], **context}})

    def test_each_fix_repairs_its_error(self):
        cases = {
            "a = lenght([1]);": "a = length([1]);",
            "function total(s) = sum(s);\ntotl([1]);": "function total(s) = sum(s);\ntotal([1]);",
            "let abcde = 1 in abcd;": "let abcde = 1 in abcde;",
            "datatype point(east : int, west : int);\nfunction f(p : pont) = 1;": "datatype point(east : int, west : int);\nfunction f(p : point) = 1;",
            "datatype point(east : int, west : int);\nfunction f(p : point) = p.eest;": "datatype point(east : int, west : int);\nfunction f(p : point) = p.east;",
            "datatype point(east : int, west : int);\nfunction f(p) = let pont(a, b) = p in a;": "datatype point(east : int, west : int);\nfunction f(p) = let point(a, b) = p in a;",
            "a = 1\nb = 2;": "a = 1;\nb = 2;",
            "a = 1 % one %\n\nfunction f(x) = x;": "a = 1; % one %\n\nfunction f(x) = x;",
            "a = 1": "a = 1;",
            "if 1 = 1 then 2 else 3;": "if 1 == 1 then 2 else 3;",
            "1 != 2;": "1 /= 2;",
            "t && f;": "t and f;",
            "99999999999999999999;": "99999999999999999999.0;",
            "# This is a comment\n1;": "% This is a comment %\n1;",
            "// not NESL\n1;": "% not NESL %\n1;",
            "/* two\n lines */ 1;": "% two\n lines % 1;",
            "“text”;": '"text";',
            "3 − 2;": "3 - 2;",
            "1 ≤ 2;": "1 <= 2;",
            "1 +\u00a02;": "1 + 2;",
            "if t then 1 elif f then 2 else 3;": "if t then 1 else if f then 2 else 3;",
            "g(x) = x;": "function g(x) = x;",
            "function f(n) = g(n) + 1;\nfunction g(n : int) : int = n;": "function g(x) : int -> int;\nfunction f(n) = g(n) + 1;\nfunction g(n : int) : int = n;",
        }
        with Client(abilities={**ABILITIES, "general": {"positionEncodings": ["utf-8"]}}) as client:
            client.open("")
            for text, repaired in cases.items():
                found = self.fixes(client, text)
                self.assertEqual(len(found), 1, (text, found))
                self.assertEqual(found[0]["kind"], "quickfix")
                edits = found[0]["edit"]["changes"][URI]
                as_bytes = applied(text.encode().decode("latin-1"), [{**e, "newText": e["newText"].encode().decode("latin-1")} for e in edits])
                self.assertEqual(as_bytes.encode("latin-1").decode(), repaired)
                client.change(repaired)
                self.assertEqual(client.diagnostics(), [], repaired)

    def test_fixes_belong_to_a_range_and_a_kind(self):
        with Client() as client:
            client.open("")
            text = "a = lenght([1]);\nb = lenght([1]);\n"
            self.assertEqual(len(self.fixes(client, text)), 2)
            self.assertEqual(self.fixes(client, text, only=["refactor"]), [])
            second = {"start": at(1, 6), "end": at(1, 6)}
            found = client.request("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": second, "context": {"diagnostics": []}})
            self.assertEqual([(f["title"], span(f["edit"]["changes"][URI][0]["range"])) for f in found], [("Change to length", (1, 4, 1, 10))])


class BadPrograms(unittest.TestCase):
    def test_no_text_stops_the_server(self):
        """Every request at every place of texts that are cut, have bytes of no meaning, or nest deeply."""
        texts = [PROGRAM[:k] for k in range(0, len(PROGRAM), 61)]
        texts += ["", "%", '"', "`", "\\", "\x00\x01;", "(" * 2000, "[" * 500 + "]" * 500, "{" * 300, "let " * 300, "function", "datatype d(", "load;", "load", "😀" * 5,
                  "a" * 100000, "x = " + "(" * 20000 + "1" + ")" * 20000 + ";", "test", 'test "a" for', "bench \"b\" for n in", "p.", ".", "$;$;$", "\r\r\n\n\r"]
        with Client() as client:
            client.open("")
            for text in texts:
                client.change(text)
                lines = text.split("\n")
                for place in {(0, 0), (0, 3), (len(lines) // 2, len(lines[len(lines) // 2]) // 2), (len(lines) - 1, len(lines[-1]))}:
                    for method in "hover", "definition", "completion", "signatureHelp", "documentHighlight":
                        client.ask(method, *place)
                    for method, more in ("rename", {"newName": "other"}), ("references", ALL):
                        try:
                            client.ask(method, *place, **more)
                        except Failure:
                            pass
                client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
                whole = {"start": at(0, 0), "end": at(len(lines), 0)}
                client.request("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": whole, "context": {"diagnostics": []}})
                client.diagnostics()

    def test_examples_have_no_errors_and_every_name_a_hover(self):
        examples = Path(os.environ["EXAMPLES"])
        with Client() as client:
            for file in sorted(examples.glob("*.nesl")):
                text = file.read_text()
                client.version += 1
                client.open(text, file.as_uri())
                self.assertEqual([d for d in client.diagnostics(file.as_uri()) if d["severity"] == 1], [], file)
                for symbol in client.request("textDocument/documentSymbol", {"textDocument": {"uri": file.as_uri()}}):
                    if symbol["kind"] in (12, 13, 23):
                        line, character, *_ = span(symbol["selectionRange"])
                        self.assertIn(symbol["name"].lower(), client.hover(line, character, file.as_uri()), (file, symbol["name"]))


if __name__ == "__main__":
    unittest.main()

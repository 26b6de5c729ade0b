"""Messages, positions, cancellation and the end of `nesl lsp`: what editors send, and what they should not send."""

import json
import os
import random
import subprocess
import unittest

from lsp_client import ABILITIES, NESL, TIMEOUT, Client, Failure, URI, at, framed, places, span

UTF8 = {**ABILITIES, "general": {"positionEncodings": ["utf-16", "utf-8"]}}
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, BAD_PARAMETERS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED, FAILED = -32002, -32800, -32803


class Lifecycle(unittest.TestCase):
    def test_the_first_request_is_initialize(self):
        client = Client(abilities=None)
        with self.assertRaises(Failure) as failure:
            client.request("textDocument/hover", {})
        self.assertEqual(failure.exception.code, NOT_INITIALIZED)
        client.notify("textDocument/didOpen", {"nonsense": True})  # is dropped
        found = client.request("initialize", {"capabilities": {}})
        self.assertEqual(found["serverInfo"]["name"], "nesl")
        self.assertEqual(found["capabilities"]["positionEncoding"], "utf-16")
        with self.assertRaises(Failure) as failure:
            client.request("initialize", {"capabilities": {}})
        self.assertEqual(failure.exception.code, INVALID_REQUEST)
        self.assertEqual(client.shut_down(), (0, ""))

    def test_after_shutdown_requests_are_refused(self):
        client = Client()
        client.request("shutdown", None)
        with self.assertRaises(Failure) as failure:
            client.request("textDocument/hover", {})
        self.assertEqual(failure.exception.code, INVALID_REQUEST)
        client.notify("exit", None)
        self.assertEqual(client.wait(), (0, ""))

    def test_exit_without_shutdown_has_status_1(self):
        for abilities in None, ABILITIES:
            client = Client(abilities)
            client.notify("exit", None)
            self.assertEqual(client.wait(), (1, ""))

    def test_the_end_of_input_ends_the_server(self):
        client = Client()
        client.process.stdin.close()
        self.assertEqual(client.wait(), (1, ""))
        client = Client()
        client.request("shutdown", None)
        client.process.stdin.close()
        self.assertEqual(client.wait(), (0, ""))

    def test_the_option_stdio_is_accepted(self):
        with Client(arguments=["--stdio"]) as client:
            client.open("1;\n")
            self.assertEqual(client.diagnostics(), [])

    def test_an_option_refuses_literals_of_64_bits(self):
        with Client(arguments=["--int=32"]) as client:
            client.open("4294967296;\n")
            self.assertIn("does not fit", client.diagnostics()[0]["message"])
        with Client() as client:
            client.open("4294967296;\n")
            self.assertEqual(client.diagnostics(), [])


class BadMessages(unittest.TestCase):
    def ends(self, data, message):
        client = Client()
        client.send_bytes(data)
        client.process.stdin.close()
        status, errors = client.wait()
        self.assertEqual(status, 1)
        self.assertTrue(errors.startswith("nesl: lsp: ") and message in errors and errors.count("\n") == 1, errors)

    def test_streams_that_cannot_be_divided_end_the_server(self):
        self.ends(b"garbage\r\n\r\n", "a message begins with 'garbage', not with a header")
        self.ends(b"\x00\xff\xfe\r\n", "not with a header")
        self.ends(b"Content-Length: many\r\n\r\n{}", "the Content-Length of a message is 'many', not a number")
        self.ends(b"Content-Length: -1\r\n\r\n{}", "not a number")
        self.ends(b"Content-Length:\r\n\r\n{}", "not a number")
        self.ends(b"Content-Length: 99999999999999999999999\r\n\r\n", "announced with 99999999999999999999999 bytes")
        self.ends(b"Content-Length: 1000000000\r\n\r\n", "announced with 1000000000 bytes")
        self.ends(b"Content-Type: text\r\n\r\n{}", "has no Content-Length")
        self.ends(b"x" * 5000, "no header in its first 4096 bytes")

    def test_streams_that_end_early_end_the_server(self):
        self.ends(b"Content-Length: 50\r\n\r\n{}", "standard input ended within a message")
        self.ends(b"Content-Length: 5", "standard input ended within a message")

    def test_requests_in_front_of_garbage_are_answered(self):
        client = Client()
        client.send_bytes(framed(b'{"id": 7, "method": "textDocument/none"}') + b"garbage\n")
        self.assertEqual(client.receive()["error"]["code"], NO_METHOD)
        self.assertEqual(client.wait()[0], 1)

    def test_an_editor_that_reads_nothing_any_longer_ends_the_server(self):
        reader, writer = os.pipe()
        server = subprocess.Popen([NESL, "lsp"], stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        os.close(reader)
        _, errors = server.communicate(framed(b'{"id": 1, "method": "textDocument/none"}'), timeout=TIMEOUT)
        self.assertEqual((server.returncode, errors.decode()), (1, "nesl: lsp: standard output could not be written: Broken pipe\n"))

    def test_a_wrong_length_is_noticed(self):
        # The announced bytes are no JSON, and the rest no header.
        client = Client()
        client.send_bytes(b'Content-Length: 5\r\n\r\n{"method": "initialized"}')
        client.process.stdin.close()
        self.assertEqual(client.receive()["error"]["code"], PARSE_ERROR)
        status, errors = client.wait()
        self.assertEqual(status, 1)
        self.assertIn("standard input ended within a message", errors)

    def test_bad_contents_are_answered_and_the_server_goes_on(self):
        with Client() as client:
            for content, code in [
                (b"{", PARSE_ERROR),
                (b"", PARSE_ERROR),
                (b'{"method": "\xff"}', PARSE_ERROR),
                (b'{"method": "\\ud800"}', PARSE_ERROR),
                (b"[1, 2]", INVALID_REQUEST),
                (b'"text"', INVALID_REQUEST),
                (b'{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST),
                (b'{"id": 1, "method": 7}', INVALID_REQUEST),
                (b'{"id": {"a": 1}, "method": "shutdown"}', INVALID_REQUEST),
                (b'{"id": "a", "method": "textDocument/none"}', NO_METHOD),
                (b'{"id": 1, "method": "textDocument/hover"}', BAD_PARAMETERS),
                (b'{"id": 1, "method": "textDocument/hover", "params": 3}', BAD_PARAMETERS),
            ]:
                client.send_bytes(framed(content))
                self.assertEqual(client.receive()["error"]["code"], code, content)
            # Notifications and answers are never answered.
            for content in b'{"method": "$/nothing"}', b'{"method": "none", "params": []}', b'{"id": 3, "result": null}':
                client.send_bytes(framed(content))

    def test_headers_may_be_spelled_otherwise_and_come_in_pieces(self):
        with Client() as client:
            content = b'{"id": "x", "method": "textDocument/none"}'
            data = b"content-length :%d\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n" % len(content) + content
            for k in range(len(data)):
                client.send_bytes(data[k:k + 1])
            self.assertEqual(client.receive()["id"], "x")

    def test_bad_parameters_name_the_member(self):
        with Client() as client:
            client.open("1;\n")
            document = {"uri": URI}
            for parameters, message in [
                ({}, "textDocument is missing"),
                ({"textDocument": {"uri": 1}}, "uri is not a string"),
                ({"textDocument": {"uri": "file:///other"}}, "file:///other is not open"),
                ({"textDocument": document}, "position is missing"),
                ({"textDocument": document, "position": at(-1, 0)}, "line is negative"),
                ({"textDocument": document, "position": at(0, 1.5)}, "character is not an integer"),
                ({"textDocument": document, "position": at(0, 2**64 - 1)}, "character is not an integer"),
            ]:
                with self.assertRaises(Failure) as failure:
                    client.request("textDocument/hover", parameters)
                self.assertEqual((failure.exception.code, str(failure.exception)), (BAD_PARAMETERS, message))

    def test_changes_that_cannot_be_made_are_logged(self):
        with Client() as client:
            client.open("ab;\n")
            client.diagnostics()
            for parameters, message in [
                ({"textDocument": {"uri": "file:///other", "version": 2}, "contentChanges": []}, "file:///other is not open"),
                ({"textDocument": {"uri": URI, "version": 2}}, "contentChanges is missing"),
                ({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "x"}, {"range": 3, "text": ""}]}, "start is missing"),
                ({"textDocument": {"uri": URI, "version": 2},
                  "contentChanges": [{"range": {"start": at(0, 2), "end": at(0, 1)}, "text": ""}]}, "a change has no valid range"),
            ]:
                client.notify("textDocument/didChange", parameters)
                found = client.receive()
                self.assertEqual((found["method"], found["params"]["message"]), ("window/logMessage", "textDocument/didChange: " + message))
            # Nothing has been changed, not even by the good first part of a bad list.
            self.assertIn("ab is undefined", client.diagnostics()[0]["message"])


class Positions(unittest.TestCase):
    # é has 2 bytes and 1 unit of UTF-16, 😀 has 4 bytes and 2 units.
    TEXT = '% é😀 % one = "é😀"; two = one;\n'

    def places_of_one(self, client, character):
        return places(client.ask("references", 0, character, context={"includeDeclaration": True}))

    def test_positions_count_units_of_utf_16(self):
        with Client() as client:
            client.open(self.TEXT)
            self.assertEqual(client.diagnostics(), [])
            self.assertEqual(self.places_of_one(client, 9), [(0, 8, 0, 11), (0, 27, 0, 30)])

    def test_positions_count_bytes_if_the_editor_can(self):
        with Client(abilities=UTF8) as client:
            self.assertEqual(client.capabilities["positionEncoding"], "utf-8")
            client.open(self.TEXT)
            self.assertEqual(self.places_of_one(client, 13), [(0, 11, 0, 14), (0, 33, 0, 36)])

    def test_an_edit_inside_a_character_begins_before_it(self):
        for abilities, start, end in (ABILITIES, 1, 2), (UTF8, 2, 4):
            with Client(abilities) as client:
                client.open("%😀%x;\n")
                client.change(((0, start), (0, end), "a"))  # both ends lie inside or behind 😀
                self.assertEqual(client.diagnostics()[0]["message"], "x is undefined")
                client.change(((0, start + 1), (0, 100), "% y;"))
                self.assertEqual(client.diagnostics()[0]["message"], "y is undefined")

    def test_positions_beyond_the_text_mean_its_end(self):
        with Client() as client:
            client.open("a\n")
            client.change(((9, 9), (10, 0), ";"), ((0, 1000), (0, 4294967295), "b"))
            self.assertEqual([d["message"] for d in client.diagnostics()], ["ab is undefined"])

    def test_changes_apply_in_order(self):
        with Client() as client:
            client.open("")
            client.change(((0, 0), (0, 0), "x = 1;\r\ny = z;\rw"), ((1, 4), (1, 5), "x"), ((2, 0), (2, 1), "y + q;"))
            found = client.diagnostics()
            self.assertEqual([(d["message"], span(d["range"])) for d in found], [("q is undefined", (2, 4, 2, 5))])
            client.change("1 + t;")
            self.assertEqual(span(client.diagnostics()[0]["range"]), (0, 4, 0, 5))

    def test_random_edits_give_the_text_that_the_editor_has(self):
        pieces = ["é", "😀", "a", "\n", "\r\n", "%", '"', "x = 1;\n", ""]
        rng = random.Random(7)
        with Client() as client:
            text = "start = 1;\n"
            client.open(text)
            for _ in range(300):
                # Editors count in units of UTF-16; edits here do not divide characters or line ends.
                lines = text.split("\n")
                ends = []
                for _ in range(2):
                    line = rng.randrange(len(lines))
                    column = rng.randint(0, len(lines[line].rstrip("\r")))
                    ends.append((line, column))
                begin, end = sorted(ends)
                new = rng.choice(pieces)
                offset = lambda p: sum(len(one) + 1 for one in lines[:p[0]]) + p[1]
                units = lambda p: (p[0], len(lines[p[0]][:p[1]].encode("utf-16-le")) // 2)
                client.change((units(begin), units(end), new))
                text = text[:offset(begin)] + new + text[offset(end):]
            # The end of the text tells whether the lengths agree; a name behind it whether the text does.
            client.change(((1000000, 0), (1000000, 0), '\n% " % marker_1;'))
            whole = text + '\n% " % marker_1;'
            found = client.diagnostics()
            client.change(whole)
            self.assertEqual(found, client.diagnostics())
            self.assertGreater(len(found), 0)


class Cancellation(unittest.TestCase):
    def test_a_waiting_request_can_be_cancelled(self):
        with Client() as client:
            client.open("1;\n")
            document = {"textDocument": {"uri": URI}, "position": at(0, 0)}
            # All three arrive at once, so that the second waits when it is cancelled.
            messages = [{"jsonrpc": "2.0", "id": k, "method": "textDocument/hover", "params": document} for k in ("a", "b")]
            messages.append({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "b"}})
            client.send_bytes(b"".join(framed(json.dumps(m).encode()) for m in messages))
            self.assertIsNone(client.answer("a"))
            with self.assertRaises(Failure) as failure:
                client.answer("b")
            self.assertEqual(failure.exception.code, CANCELLED)
            # The id can be used again, and a request that has been answered is not cancelled.
            client.notify("$/cancelRequest", {"id": "c"})
            client.notify("$/cancelRequest", {"nonsense": 1})
            client.send({"id": "b", "method": "textDocument/hover", "params": document})
            self.assertIsNone(client.answer("b"))

    def test_diagnostics_give_way_to_messages(self):
        with Client() as client:
            client.open("x = 1;\n" * 4000)
            for k in range(50):
                client.change(((0, 4), (0, 5), str(k % 10)))
            client.diagnostics()
            versions = [m["params"]["version"] for m in client.notifications if m["method"] == "textDocument/publishDiagnostics"]
            self.assertLess(len(versions), 50)
            self.assertEqual(versions[-1], client.version)


if __name__ == "__main__":
    unittest.main()

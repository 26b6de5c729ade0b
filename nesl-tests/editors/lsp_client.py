"""A scripted editor: a client of `nesl lsp`, for the tests beside this file."""

import json
import os
import queue
import subprocess
import threading
import time

NESL = os.environ["NESL"]  # the program nesl
TIMEOUT = 60  # seconds that a test waits for an answer
URI = "file:///editor-test/main.nesl"

ABILITIES = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}},
    }
}


class Failure(Exception):
    """An error in the answer to a request."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


def framed(message):
    content = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(content) + content


class Client:
    """Starts a server, and with `abilities` initializes it. As a context, shuts the server down at the end."""

    def __init__(self, abilities=ABILITIES, arguments=(), environment=None):
        self.process = subprocess.Popen([NESL, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, **(environment or {})})
        self.messages = queue.Queue()
        self.notifications = []
        self.last_id = 0
        self.version = 1
        threading.Thread(target=self._read, daemon=True).start()
        self.capabilities = None
        if abilities is not None:
            self.capabilities = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": abilities})["capabilities"]
            self.notify("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if kind is not None:
            self.process.kill()
            self.process.communicate()
            return
        status, errors = self.shut_down()
        assert (status, errors) == (0, ""), (status, errors)

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, value = line.split(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                self.messages.put(None)
                return
            self.messages.put(json.loads(stream.read(length)))

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(framed({"jsonrpc": "2.0", **message}))

    def notify(self, method, parameters):
        self.send({"method": method, "params": parameters})

    def start_request(self, method, parameters):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": parameters})
        return self.last_id

    def receive(self):
        """The next message of the server; None at the end of its output."""
        return self.messages.get(timeout=TIMEOUT)

    def answer(self, wanted):
        """The result of the request with an id. Keeps notifications that come before it."""
        while True:
            message = self.receive()
            assert message is not None, "the server has ended: " + self.process.stderr.read().decode()
            if "method" in message:
                self.notifications.append(message)
            elif message["id"] == wanted:
                if "error" in message:
                    raise Failure(message["error"])
                return message["result"]

    def request(self, method, parameters):
        return self.answer(self.start_request(method, parameters))

    # Documents.

    def open(self, text, uri=URI):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "nesl", "version": self.version, "text": text}})

    def change(self, *changes, uri=URI):
        """Sends changes: texts that replace all, or tuples of start, end (both line and character) and a text."""
        self.version += 1
        parts = [
            {"text": change} if isinstance(change, str) else
            {"range": {"start": at(*change[0]), "end": at(*change[1])}, "text": change[2]}
            for change in changes
        ]
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.version}, "contentChanges": parts})

    def diagnostics(self, uri=URI):
        """The diagnostics of the present version of a document."""
        while True:
            for message in reversed(self.notifications):
                found = message["params"]
                if message["method"] == "textDocument/publishDiagnostics" and found["uri"] == uri and found.get("version") == self.version:
                    return found["diagnostics"]
            message = self.receive()
            assert message is not None and "method" in message, message
            self.notifications.append(message)

    def ask(self, method, line, character, uri=URI, **more):
        """A request about a position."""
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri}, "position": at(line, character), **more})

    def hover(self, line, character, uri=URI):
        found = self.ask("hover", line, character, uri)
        return None if found is None else found["contents"]["value"]

    # The end.

    def wait(self):
        """The exit status and what the server wrote to standard error, after its end."""
        status = self.process.wait(timeout=TIMEOUT)
        errors = self.process.stderr.read().decode()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        return status, errors

    def shut_down(self):
        assert self.request("shutdown", None) is None
        self.send({"method": "exit"})
        return self.wait()


def at(line, character):
    return {"line": line, "character": character}


def span(found):
    """A range as a tuple of start line, start character, end line, end character."""
    start, end = found["start"], found["end"]
    return start["line"], start["character"], end["line"], end["character"]


def places(found):
    return sorted(span(place["range"]) for place in found)


def applied(text, edits):
    """A text in ASCII after edits of an answer."""
    lines = text.split("\n")
    offset = lambda place: sum(len(line) + 1 for line in lines[:place["line"]]) + place["character"]
    for edit in sorted(edits, key=lambda e: span(e["range"]), reverse=True):
        begin, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:begin] + edit["newText"] + text[end:]
    return text


def timed(work):
    """The seconds that a function takes, and its result."""
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result

"""Output of programs, which the library writes to the file descriptors of the process."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import threading
from collections.abc import Callable, Iterator

_CHUNK = 1 << 16


class ProgramOutput:
    """While it is open, publish("stdout", text) is called with output to the file descriptor 1, as soon as it is written, and
    publish("stderr", text) with output to 2; on any thread, one at a time."""

    def __init__(self, publish: Callable[[str, str], None]) -> None:
        self._publish = publish

    def __enter__(self) -> ProgramOutput:
        with _without_interrupts():
            self._lock = threading.Lock()
            self._end, self._wake = os.pipe()  # closing `_wake` ends the thread
            self._streams = [_Redirected(1, "stdout", self._publish), _Redirected(2, "stderr", self._publish)]
            self._thread = threading.Thread(target=self._forward, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        with _without_interrupts():
            for stream in self._streams:
                stream.restore()
            os.close(self._wake)
            self._thread.join()
            self.drain()
            os.close(self._end)
            for stream in self._streams:
                stream.close()

    def drain(self) -> None:
        """Passes on all that has been written, so that later messages of the kernel come behind it."""
        with self._lock:
            for stream in self._streams:
                stream.forward()

    def _forward(self) -> None:
        ready: list[int] = []
        while self._end not in ready:
            ready, _, _ = select.select([self._end, *(stream.source for stream in self._streams)], [], [])
            self.drain()


class _Redirected:
    """A file descriptor that leads to a pipe until it is restored."""

    def __init__(self, descriptor: int, name: str, publish: Callable[[str, str], None]) -> None:
        self._descriptor = descriptor
        self._name = name
        self._publish = publish
        self._decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode
        self._before = os.dup(descriptor)
        self.source, sink = os.pipe()
        os.set_blocking(self.source, False)
        os.dup2(sink, descriptor)
        os.close(sink)

    def forward(self) -> None:
        """Passes on what is in the pipe. The end of a character may follow later."""
        text = ""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.source, _CHUNK):
                text += self._decode(data)
        if text:
            self._publish(self._name, text)

    def restore(self) -> None:
        os.dup2(self._before, self._descriptor)
        os.close(self._before)

    def close(self) -> None:
        os.close(self.source)


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ignores SIGINT, so that the descriptors are restored however often a user interrupts a cell."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

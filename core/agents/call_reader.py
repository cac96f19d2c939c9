"""Divides a model's text, as it arrives, into what people read and the calls that were written as text."""

import re
from collections.abc import Callable, Iterator

from core.agents.call_json import Found, Verdict
from core.agents.call_syntax import FENCE, STARTS, look
from core.agents.call_values import TextCall

FIRST = re.compile(f"[{re.escape(STARTS)}]")
SEPARATORS = re.compile(r"[\s,;]*")
JSON_HEAD = re.compile(r"[{\[]\s*[\"'{]")


class CallReader:
    """Reads a text in pieces; what it shows and finds is the same however the text is cut.

    Text that may begin a call is held back until that is decided; all other text is shown at once. A code block and
    a JSON value that are no call are shown whole: what stands in them is not looked at again.

    Args:
        names: the tools that may be called.
        quoted: whether a text is only quoted from what was read, so that a mail cannot call a tool.
    """

    def __init__(self, names: frozenset[str], quoted: Callable[[str], bool] = lambda _: False) -> None:
        self.calls: list[TextCall] = []
        self._names, self._quoted = names, quoted
        self._buffer = ""
        self._closers: list[str] = []
        self._after_call = self._in_code = False
        self._json: JsonWalk | None = None

    def feed(self, text: str) -> str:
        """Take a piece; what can be shown now."""
        self._buffer += text
        return "".join(self._steps(ended=False))

    def finish(self) -> str:
        """The text has ended; what is left to show.

        Raises:
            CutCall: it ended in the middle of a call.
        """
        return "".join(self._steps(ended=True))

    def _steps(self, ended: bool) -> Iterator[str]:
        """Work off the buffer as far as it is decided."""
        while self._buffer:
            shown = self._step(ended)
            if shown is None:
                return
            yield shown

    def _step(self, ended: bool) -> str | None:
        """One decision: what it shows; None where more text is needed."""
        if self._in_code:
            return self._code(ended)
        if self._json is not None:
            return self._ordinary_json()
        if self._after_call:
            return self._between(ended)
        start = FIRST.search(self._buffer)
        if start is None or start.start():
            return self._take(start.start() if start else len(self._buffer))
        return self._candidate(0, ended)

    def _take(self, count: int) -> str:
        """Take the first characters off the buffer."""
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _candidate(self, start: int, ended: bool) -> str | None:
        """Decide what begins at a place of the buffer; what stands before it belongs to a call or is shown with it."""
        text = self._buffer[start:]
        closer = self._closer(text, ended)
        if closer is None:
            return None
        if closer:
            self._closers.remove(closer)
            self._take(start + len(closer))
            return ""
        verdict = look(text, self._names, ended)
        if verdict is Verdict.MORE:
            return None
        if isinstance(verdict, Found) and not self._quoted(text[: verdict.length]):
            return self._found(verdict, start)
        self._after_call = False
        return self._no_call(start)

    def _found(self, found: Found, start: int) -> str:
        """Keep the calls, show nothing."""
        self.calls += found.calls
        self._closers += found.closers
        self._after_call = True
        self._take(start + found.length)
        return ""

    def _no_call(self, start: int) -> str:
        """Show what turned out to be ordinary."""
        text = self._buffer[start:]
        if text.startswith(FENCE):
            self._in_code = True
            return self._take(start + len(FENCE))
        if JSON_HEAD.match(text):
            self._json = JsonWalk()
            return self._take(start) + self._ordinary_json()
        return self._take(start + 1)

    def _closer(self, text: str, ended: bool) -> str | None:
        """The expected end of a wrapping that stands here, "" for none; None where more text is needed."""
        for closer in self._closers:
            if text.startswith(closer):
                return closer
            if closer.startswith(text) and not ended:
                return None
        return ""

    def _between(self, ended: bool) -> str | None:
        """After a call: stray brackets, blanks and ends of wrappings are its own, until something else comes."""
        self._buffer = self._buffer.lstrip("}]")
        match = SEPARATORS.match(self._buffer)
        blank = match.end() if match else 0
        if blank == len(self._buffer):
            return self._forget() if ended else None
        if self._buffer[blank] in STARTS:
            return self._candidate(blank, ended)
        self._after_call = False
        return self._take(blank)

    def _forget(self) -> str:
        """Drop what is left."""
        self._buffer = ""
        return ""

    def _code(self, ended: bool) -> str | None:
        """Show a code block to its end."""
        end = self._buffer.find(FENCE)
        if end >= 0:
            self._in_code = False
            return self._take(end + len(FENCE))
        kept = 0 if ended else len(self._buffer) - len(self._buffer.rstrip("`"))
        return self._take(len(self._buffer) - kept) or None

    def _ordinary_json(self) -> str:
        """Show a JSON value to its end."""
        assert self._json is not None
        length, done = self._json.walk(self._buffer)
        self._json = None if done else self._json
        return self._take(length)


class JsonWalk:
    """Where a JSON value ends that arrives in pieces; a line break within a string says it was none."""

    def __init__(self) -> None:
        self._depth, self._in_string, self._escaped = 0, False, False

    def walk(self, text: str) -> tuple[int, bool]:
        """How much of a piece belongs to it, and whether it ends there."""
        for place, mark in enumerate(text):
            if self._in_string:
                if mark == "\n":
                    return place, True
                self._in_string = mark != '"' or self._escaped
                self._escaped = mark == "\\" and not self._escaped
            elif mark == '"':
                self._in_string = True
            else:
                self._depth += (mark in "{[") - (mark in "}]")
                if self._depth == 0:
                    return place + 1, True
        return len(text), False

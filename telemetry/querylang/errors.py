"""What is wrong with a query line, and where."""

from telemetry.errors import TelemetryError


class QueryError(TelemetryError):
    """A query line that cannot be understood.

    Attributes:
        start, end: the characters that it is about, from 0; `start == end` where something is missing.
        sentence: what is wrong, and what would be right.
    """

    def __init__(self, start: int, end: int, sentence: str) -> None:
        super().__init__(f"Character {start + 1}: {sentence}")
        self.start, self.end, self.sentence = start, max(start, end), sentence

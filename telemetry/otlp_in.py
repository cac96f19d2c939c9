"""OTLP/HTTP in: the body of `POST /v1/traces` → stored spans → the answer that the protocol wants."""

import zlib
from dataclasses import dataclass
from typing import Final

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from telemetry.errors import TelemetryError
from telemetry.foreign import record_of
from telemetry.intake import Intake
from telemetry.otlp_wire import Rejected, from_json, from_protobuf, spans_of
from telemetry.redaction import Redactor

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"
KINDS: Final = {PROTOBUF: PROTOBUF, "application/protobuf": PROTOBUF, JSON: JSON}
LARGEST_BODY: Final = 16_000_000
"""Bytes as they are sent."""
LARGEST_INFLATED: Final = 64_000_000
"""Bytes after gzip."""
ELSEWHERE: Final = "{} spans belong to a trace that somebody else has recorded. Send them under ids of their own."


class TooLarge(TelemetryError):
    """A body is larger than is taken."""


class Unsupported(TelemetryError):
    """A body is in a form that is not understood."""


@dataclass(frozen=True)
class Answer:
    """What to answer: a body, and its content type."""

    body: bytes
    media_type: str


class OtlpReceiver:
    """Takes requests of OTLP/HTTP; when one is answered, its spans are committed, already redacted."""

    def __init__(self, intake: Intake, redactor: Redactor) -> None:
        self._intake, self._redactor = intake, redactor

    def receive(self, user_id: str, body: bytes, content_type: str, encoding: str = "") -> Answer:
        """Store the spans of a request; blocks.

        Args:
            user_id: Whose they are.
            content_type, encoding: The headers' values.

        Raises:
            TooLarge, Unsupported, Malformed: Nothing was stored; the sentence says what to change.
            sqlalchemy.exc.DBAPIError: The database cannot take them now; nothing was stored.
        """
        kind = media_type(content_type)
        plain = inflated(body, encoding)
        request = from_json(plain) if kind == JSON else from_protobuf(plain)
        return self._store(user_id, request, kind)

    def _store(self, user_id: str, request: ExportTraceServiceRequest, kind: str) -> Answer:
        records, problems = [], []
        for one in spans_of(request):
            if isinstance(one, Rejected):
                problems.append(str(one))
            else:
                records.append(record_of(one, user_id, self._redactor))
        taken = self._intake.put(user_id, records)
        if taken.refused:
            problems += [ELSEWHERE.format(taken.refused)] * taken.refused
        response = ExportTraceServiceResponse()
        if problems:
            response.partial_success.rejected_spans = len(problems)
            response.partial_success.error_message = " ".join(dict.fromkeys(problems))
        return encoded(response, kind)


def media_type(content_type: str) -> str:
    """Protobuf or JSON.

    Raises:
        Unsupported: it is neither.
    """
    kind = KINDS.get(content_type.split(";")[0].strip().lower())
    if kind is None:
        raise Unsupported(f"Send traces as {PROTOBUF} or {JSON}.")
    return kind


def inflated(body: bytes, encoding: str, limit: int = LARGEST_INFLATED) -> bytes:
    """The body without its gzip; never more than `limit` bytes are made of it.

    Raises:
        TooLarge: it would be more.
        Unsupported: it is encoded in some other way, or is not whole.
    """
    if encoding.strip().lower() in ("", "identity"):
        return body
    if encoding.strip().lower() != "gzip":
        raise Unsupported("Send traces plain or with Content-Encoding: gzip.")
    found = bytearray()
    try:
        while body:
            inflater = zlib.decompressobj(31)
            found += inflater.decompress(body, limit + 1 - len(found))
            if len(found) > limit:
                raise TooLarge(
                    f"The body is larger than {limit:,} bytes when it is unpacked. Send fewer spans at once."
                )
            if not inflater.eof:
                raise Unsupported("The body is not whole gzip.")
            body = inflater.unused_data
    except zlib.error as error:
        raise Unsupported("The body is not gzip, although its Content-Encoding says so.") from error
    return bytes(found)


def encoded(message: Message, kind: str) -> Answer:
    """A message in the form in which the request came."""
    if kind == JSON:
        return Answer(MessageToJson(message, indent=None, ensure_ascii=False).encode(), JSON)
    return Answer(message.SerializeToString(), PROTOBUF)


def refusal(sentence: str, content_type: str) -> Answer:
    """Why a request was not taken, as the protocol says it."""
    return encoded(Status(message=sentence), KINDS.get(content_type.split(";")[0].strip().lower(), JSON))

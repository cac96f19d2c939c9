"""A stored span → a span as it travels to a collector, with as much content as may leave."""

from collections.abc import Mapping
from typing import Any, Final

from telemetry import attributes as names
from telemetry import openinference
from telemetry.foreign import OWN_SERVICE
from telemetry.otlp_wire import SpanValue

Row = Mapping[str, Any]
PROJECT: Final = "openinference.project.name"
LINKED: Final = ("span_id", "trace_id")


def sent(row: Row, texts: Mapping[str, str], *, content: bool, inferred: bool) -> SpanValue:
    """A span that has ended, as a collector gets it.

    Args:
        row: Of the `span` table.
        texts: Its long texts, whole, by attribute.
        content: Whether what people, models and tools wrote leaves this machine.
        inferred: Whether OpenInference's attributes are added.
    """
    attributes = {**row["attributes"], **texts} if content else told(row["attributes"])
    failed = row["status"] == "error"
    message = str(attributes.pop(names.ERROR_MESSAGE, "")) if failed else ""
    events = row["events"] if content else [{**one, "attributes": told(one["attributes"])} for one in row["events"]]
    if inferred:
        attributes |= openinference.added(row, attributes)
    service = attributes.pop(names.SERVICE, OWN_SERVICE)
    return SpanValue(
        row["trace_id"],
        row["span_id"],
        row["parent_id"],
        row["name"],
        row["kind"],
        row["start_ns"],
        row["end_ns"],
        failed,
        message,
        attributes,
        list(events),
        {names.SERVICE: service, **({PROJECT: OWN_SERVICE} if inferred else {})},
    )


def told(attributes: Row) -> dict[str, Any]:
    """The attributes that are known to be no content; of links, where they lead."""
    return {name: value for name, value in attributes.items() if names.tells(name, value) or name in LINKED}

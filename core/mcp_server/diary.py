"""A desk's calendar to write in: the event that is meant, and changes that leave once and overwrite nobody's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from googleapiclient.http import HttpRequest

from core.google.errors import GoogleError
from core.mcp_server.desk import BadArgument, Desk

EVENTS = "calendar.events"
Json = dict[str, Any]


@dataclass(frozen=True)
class Diary:
    """One calendar of the acting account."""

    desk: Desk
    calendar_id: str

    def find(self, event_id: str, scope: str | None) -> tuple[Json, Json]:
        """An event, and the one to change: itself, or the series that it belongs to.

        Raises:
            BadArgument: the whole series is named where one event of it is meant.
            GoogleError: there is none.
        """
        named = self._get(event_id)
        if scope == "all" and named.get("recurringEventId"):
            return named, self._get(named["recurringEventId"])
        if scope == "this" and named.get("recurrence"):
            raise BadArgument(
                "event_id", "it names a whole series. Give the event_id of one event; get_events lists them."
            )
        return named, named

    def insert(self, body: Json, updates: str) -> tuple[Json, bool]:
        """Make an event; where the answer is lost, look whether it is there.

        Returns:
            The event, and whether Google confirmed it.

        Raises:
            GoogleError: it was not made, or (`outcome_unknown`) nobody knows.
        """
        event_id = self.desk.key()
        request = self._events().insert(
            calendarId=self.calendar_id,
            body={**body, "id": event_id},
            sendUpdates=updates,
            conferenceDataVersion=1,
            supportsAttachments=True,
        )
        return self._surely(request, lambda: self._get(event_id))

    def patch(self, before: Json, patch: Json, updates: str) -> tuple[Json, bool]:
        """Change an event that is still as it was seen; returns and raises as `insert` does.

        Raises:
            GoogleError: somebody else changed it in the meantime.
        """
        request = self._events().patch(
            calendarId=self.calendar_id,
            eventId=before["id"],
            body=patch,
            sendUpdates=updates,
            conferenceDataVersion=1 if "conferenceData" in patch else 0,
            supportsAttachments=True,
        )
        return self._surely(matching(request, before), lambda: newer(self._get(before["id"]), before))

    def delete(self, before: Json, updates: str) -> bool:
        """Delete an event that is still as it was seen; False where it was gone already."""
        request = self._events().delete(calendarId=self.calendar_id, eventId=before["id"], sendUpdates=updates)
        try:
            self._surely(matching(request, before), lambda: cancelled(self._get(before["id"])))
        except GoogleError as error:
            if error.status != 410:
                raise
            return False
        return True

    def _surely(self, request: HttpRequest, find: Callable[[], Json | None]) -> tuple[Json, bool]:
        try:
            return self.desk.google.execute(request), True
        except GoogleError as error:
            if not error.outcome_unknown:
                raise
            found = quietly(find)
            if found is None:
                raise
            return found, False

    def _get(self, event_id: str) -> Json:
        return self.desk.google.execute(
            self._events().get(calendarId=self.calendar_id, eventId=event_id, timeZone=self.desk.zone.key)
        )

    def _events(self) -> Any:
        return self.desk.google.resource(EVENTS)


def matching(request: HttpRequest, event: Json) -> HttpRequest:
    """The request, to be refused where the event is another by now."""
    if event.get("etag"):
        request.headers["If-Match"] = event["etag"]
    return request


def newer(event: Json, before: Json) -> Json | None:
    """The event, if it was changed since."""
    return event if event.get("etag") != before.get("etag") else None


def cancelled(event: Json) -> Json | None:
    """The event, if it is deleted."""
    return event if event.get("status") == "cancelled" else None


def quietly(find: Callable[[], Json | None]) -> Json | None:
    """What is found; None also where looking fails."""
    try:
        return find()
    except GoogleError:
        return None

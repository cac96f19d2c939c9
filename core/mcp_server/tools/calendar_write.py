"""The Calendar tools that write: create, change and delete an event."""

from typing import Annotated, Literal

from pydantic import Field

from core.mcp_server import agenda, event_times
from core.mcp_server.agenda import Json, Reminder, SendUpdates
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.diary import Diary
from core.mcp_server.labelling import json_of
from core.mcp_server.results import EventChange
from core.mcp_server.shaping.changes import changes
from core.mcp_server.shaping.events import event as shaped

Text = str | None
TIME = "2026-12-01T09:00 in the person's zone (or in `timezone`), with an offset, or a date for all-day"
CalendarId = Annotated[str, Field(description="A calendar_id; primary is the person's own", min_length=1)]
EventId = Annotated[str, Field(description="An event_id from an earlier result", min_length=1)]
Guests = Annotated[list[str] | None, Field(description="Addresses, with names if known", max_length=200)]
Zone = Annotated[Text, Field(description="IANA zone of the event, where it is not the person's")]
Files = Annotated[list[str] | None, Field(description="Links or ids of Drive files")]
Reminders = Annotated[list[Reminder] | None, Field(description="Instead of the calendar's usual ones", max_length=5)]
Repeats = Annotated[list[str] | None, Field(description="Such as RRULE:FREQ=WEEKLY;BYDAY=TU", max_length=10)]
Busy = Annotated[Literal["opaque", "transparent"] | None, Field(description="transparent: shown as free")]
Visible = Literal["default", "public", "private", "confidential"] | None
Updates = Annotated[SendUpdates | None, Field(description="Who gets a mail about it; all where there are guests")]
Scope = Annotated[
    Literal["this", "all"] | None, Field(description="Of a series: this event or all; what the event_id names")
]
FOUND = "Google's confirmation was lost on its way, but the event is there, once."


def create_event(
    desk: Desk,
    summary: Annotated[str, Field(description="The title", min_length=1)],
    start_time: Annotated[str, Field(description=TIME)],
    end_time: Annotated[str, Field(description="Likewise; of an all-day event the day after its last")],
    calendar_id: CalendarId = "primary",
    description: Text = None,
    location: Text = None,
    attendees: Guests = None,
    timezone: Zone = None,
    attachments: Files = None,
    add_google_meet: bool = False,
    reminders: Reminders = None,
    use_default_reminders: bool = True,
    transparency: Busy = None,
    visibility: Visible = None,
    guests_can_modify: bool | None = None,
    guests_can_invite_others: bool | None = None,
    guests_can_see_other_guests: bool | None = None,
    recurrence: Repeats = None,
    send_updates: Updates = None,
) -> EventChange:
    """Put an event into a calendar."""
    times = event_times.new_times(start_time, end_time, event_times.zone_of(timezone, desk.zone))
    body = json_of(
        {
            "summary": summary,
            "start": times.start,
            "end": times.end,
            "description": description,
            "location": location,
            "attendees": agenda.invited(attendees) if attendees else None,
            "attachments": agenda.files(attachments) if attachments else None,
            "conferenceData": agenda.meeting(desk.key()) if add_google_meet else None,
            "reminders": agenda.reminding(reminders, None if use_default_reminders else False),
            "recurrence": recurrence,
            **_manners(transparency, visibility),
            **_rights(guests_can_modify, guests_can_invite_others, guests_can_see_other_guests),
        }
    )
    return _created(Diary(desk, calendar_id), body, send_updates, times.note)


def modify_event(
    desk: Desk,
    event_id: EventId,
    calendar_id: CalendarId = "primary",
    summary: Text = None,
    start_time: Annotated[Text, Field(description=f"{TIME}; alone it keeps the length")] = None,
    end_time: Annotated[Text, Field(description="Likewise")] = None,
    description: Annotated[Text, Field(description="Empty removes it")] = None,
    location: Annotated[Text, Field(description="Empty removes it")] = None,
    attendees: Annotated[
        list[str] | None, Field(description="All guests from now on; the answers of those that stay are kept")
    ] = None,
    timezone: Zone = None,
    attachments: Files = None,
    add_google_meet: Annotated[bool | None, Field(description="false removes the call")] = None,
    reminders: Reminders = None,
    use_default_reminders: bool | None = None,
    transparency: Busy = None,
    visibility: Visible = None,
    color_id: Annotated[Text, Field(pattern=r"^([1-9]|1[01])$", description="1 to 11")] = None,
    guests_can_modify: bool | None = None,
    guests_can_invite_others: bool | None = None,
    guests_can_see_other_guests: bool | None = None,
    recurrence: Repeats = None,
    scope: Scope = None,
    send_updates: Updates = None,
) -> EventChange:
    """Change what is given of an event, and nothing else."""
    diary = Diary(desk, calendar_id)
    named, before = diary.find(event_id, scope)
    patch = json_of(
        {
            "summary": summary,
            "description": description,
            "location": location,
            "attendees": None if attendees is None else agenda.invited(attendees, before.get("attendees", [])),
            "attachments": None if attachments is None else agenda.files(attachments),
            "reminders": agenda.reminding(reminders, use_default_reminders),
            "colorId": color_id,
            "recurrence": recurrence,
            **_manners(transparency, visibility),
            **_rights(guests_can_modify, guests_can_invite_others, guests_can_see_other_guests),
            **_call(desk, before, add_google_meet),
        }
    )
    note = _moved(desk, patch, named, before, start_time, end_time, timezone) if start_time or end_time else None
    return _changed(diary, before, patch, send_updates, note)


def delete_event(
    desk: Desk,
    event_id: EventId,
    calendar_id: CalendarId = "primary",
    scope: Scope = None,
    send_updates: Updates = None,
) -> EventChange:
    """Delete an event, or a whole series."""
    diary = Diary(desk, calendar_id)
    _, before = diary.find(event_id, scope)
    guests = agenda.others(before, desk.google.account)
    updates = send_updates or ("all" if guests else "none")
    gone = before.get("status") == "cancelled" or not diary.delete(before, updates)
    told = agenda.told(guests, updates, desk.google.account, "Cancellations")
    return EventChange(
        action="already_deleted" if gone else "deleted",
        event=shaped({**before, "status": "cancelled"}, calendar_id, desk.zone, False, False),
        scope="all" if before.get("recurrence") else "this",
        invitations="Nobody is told, as nothing was changed." if gone else told,
        note="It had been deleted before." if gone else None,
    )


def _manners(transparency: Text, visibility: Text) -> Json:
    return {"transparency": transparency, "visibility": visibility}


def _rights(modify: bool | None, invite: bool | None, see: bool | None) -> Json:
    return {"guestsCanModify": modify, "guestsCanInviteOthers": invite, "guestsCanSeeOtherGuests": see}


def _call(desk: Desk, before: Json, wanted: bool | None) -> Json:
    """A patch of the video call; nothing where it is as it should be."""
    if wanted is None or wanted == bool(before.get("conferenceData")):
        return {}
    return {"conferenceData": agenda.meeting(desk.key()) if wanted else agenda.NOTHING}


def _moved(
    desk: Desk, patch: Json, named: Json, before: Json, start_time: Text, end_time: Text, timezone: Text
) -> str | None:
    """Put new times into a patch; returns what has to be said about them."""
    zone = event_times.zone_of(timezone, desk.zone)
    own = timezone or before["start"].get("timeZone") or zone.key
    times = event_times.changed_times(named, start_time, end_time, zone, own)
    start, end = times.start, times.end
    if named is not before and "recurrence" not in patch:
        start, end = event_times.shifted(before, named, times)
    patch |= {"start": event_times.patch_of(start), "end": event_times.patch_of(end)}
    return times.note


def _created(diary: Diary, body: Json, send_updates: SendUpdates | None, note: str | None) -> EventChange:
    """Make an event, and tell what it came to."""
    account = diary.desk.google.account
    guests = agenda.others(body, account)
    updates = send_updates or ("all" if guests else "none")
    made, confirmed = diary.insert(body, updates)
    notes = [note, None if confirmed else FOUND]
    return EventChange(
        action="created",
        event=shaped(made, diary.calendar_id, diary.desk.zone, False, True),
        scope="all" if made.get("recurrence") else "this",
        invitations=agenda.told(guests, updates, account, "Invitations"),
        note=" ".join(one for one in notes if one) or None,
    )


def _changed(
    diary: Diary, before: Json, patch: Json, send_updates: SendUpdates | None, note: str | None
) -> EventChange:
    """Make a change, and tell what it came to."""
    if not patch:
        raise BadArgument("event_id", "nothing to change was given; say what should be different.")
    if before.get("status") == "cancelled":
        raise BadArgument("event_id", "this event has been deleted. Create a new one instead.")
    account, zone = diary.desk.google.account, diary.desk.zone
    guests = list(dict.fromkeys(agenda.others(before, account) + agenda.others(patch, account)))
    updates = send_updates or ("all" if guests else "none")
    after, confirmed = diary.patch(before, agenda.whole(patch), updates)
    notes = [note, None if confirmed else FOUND]
    return EventChange(
        action="updated",
        event=shaped(after, diary.calendar_id, zone, False, True),
        changes=changes(before, after, zone),
        scope="all" if after.get("recurrence") else "this",
        invitations=agenda.told(guests, updates, account, "Updates"),
        note=" ".join(one for one in notes if one) or None,
    )

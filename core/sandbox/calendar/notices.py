"""The mails that Google would send to guests, kept so that one can see who was told what."""

from sqlmodel import Session, col, select

from core.sandbox.calendar.tables import EventRow, NoticeRow
from core.sandbox.calendar.times import utc_text
from core.sandbox.calls import ApiError, Call
from core.sandbox.world import World

MODES = ("all", "externalOnly", "none")


def notify(session: Session, call: Call, row: EventRow, what: str) -> None:
    """Record who is told of a change: nobody unless `sendUpdates` (or the older `sendNotifications`) says so."""
    mode = call.arg("sendUpdates", "all" if call.flag("sendNotifications") else "none")
    if mode not in MODES:
        raise ApiError(400, "invalid", f"Invalid value for: {mode}", location="parameter:sendUpdates")
    guests = [guest["email"] for guest in row.body.get("attendees", []) if guest["email"] != call.account]
    home = call.account.partition("@")[2]
    told = [email for email in guests if mode == "all" or (mode == "externalOnly" and not email.endswith(f"@{home}"))]
    if told:
        at = utc_text(call.now())
        session.add(NoticeRow(calendar_id=row.calendar_id, event_id=row.id, what=what, recipients=told, at=at))


def sent(world: World) -> list[NoticeRow]:
    """All of them, oldest first."""
    with world.session() as session:
        return list(session.exec(select(NoticeRow).order_by(col(NoticeRow.id))).all())

"""All that is a person's as one zip file: conversations to read and complete, their files, settings, traces."""

import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from tempfile import TemporaryFile
from typing import IO, Any, Final

from core.mcp_server.shaping.files import safe_name
from core.store.export import Numbers, Record, as_json, as_markdown
from core.store.stores import Stores
from core.users import User

ALL: Final = 1_000_000
"""More conversations than anybody has."""
ABOUT: Final = """What Glassdesk keeps of you.

conversations/  each conversation, to read (.md) and complete (.json)
files/          what you gave with your questions
settings.json   your time zone, what you allow without asking, budgets, saved searches
traces.jsonl    your turns with all their steps, one a line; Traces -> Import reads them again

What is in your Google accounts is not in here, nor are keys, tokens and permissions, which are of no use elsewhere.
"""


def takeout(
    stores: Stores, user: User, traces: Iterable[bytes], numbers: Callable[[Sequence[str]], Numbers]
) -> IO[bytes]:
    """Make the file; it is on the disk, without a name, and gone when it is closed.

    Args:
        traces: pieces of JSON Lines.
        numbers: of turns by their ids, what the HTTP contract says about them.
    """
    made: IO[bytes] = TemporaryFile()  # noqa: SIM115 - the caller closes it
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.txt", ABOUT)
        archive.writestr("settings.json", json.dumps(settings_of(stores, user), ensure_ascii=False, indent=2))
        for conversation in stores.conversations.list(user.id, ALL):
            turns = [row.turn_id for row in stores.conversations.exchanges(user.id, conversation.id, superseded=True)]
            record = stores.record(user.id, conversation.id, numbers(turns))
            name = f"conversations/{name_of(record)}"
            archive.writestr(f"{name}.md", as_markdown(record, user.zone))
            archive.writestr(f"{name}.json", as_json(record))
            add_files(archive, stores, record)
        with archive.open("traces.jsonl", "w", force_zip64=True) as lines:
            for piece in traces:
                lines.write(piece)
    made.seek(0)
    return made


def name_of(record: Record) -> str:
    """A name that sorts by time, says what it was about, and is one conversation's alone."""
    kept = record.conversation
    return f"{kept.created_at:%Y-%m-%d} {safe_name(kept.title)[:60]} {kept.id[:8]}"


def add_files(archive: zipfile.ZipFile, stores: Stores, record: Record) -> None:
    """The files that came with a conversation's questions, as far as they are still there."""
    for exchange in record.exchanges:
        for number, file in enumerate(exchange.files, 1):
            content = stores.uploads.read(file)
            if content is not None:
                archive.writestr(f"files/{exchange.turn_id}/{number} {safe_name(str(file['name']))}", content)


def settings_of(stores: Stores, user: User) -> dict[str, Any]:
    """What a person has set."""
    return {
        "name": user.name,
        "email": user.email,
        "zone": user.zone.key,
        "allowed_without_asking": dict(stores.approvals.policies(user.id)),
        "budgets": [
            {"period": row.period, "limit_pico_usd": row.limit_pico_usd, "action": row.action}
            for row in stores.budgets.of_user(user.id)
        ],
        "searches": {row.name: row.line for row in stores.searches.of_user(user.id)},
    }

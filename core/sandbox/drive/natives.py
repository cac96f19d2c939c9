"""What the services that own Google's file types do for Drive: make, copy, export, import and drop their contents."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sqlmodel import Session

from core.sandbox.drive.tables import DriveFile


@dataclass(frozen=True)
class Native:
    """A Google file type; its service exports one as `NATIVE`.

    Attributes:
        mime_type: such as `application/vnd.google-apps.document`.
        create: gives a new file its empty content.
        copy: gives a new file (second) the content of another (first).
        drop: forgets the content of a file that is deleted for ever.
        exports: target type → the content in it.
        imports: source type, such as `text/markdown` → gives a new file the content that some bytes hold.
    """

    mime_type: str
    create: Callable[[Session, DriveFile], None]
    copy: Callable[[Session, DriveFile, DriveFile], None]
    drop: Callable[[Session, DriveFile], None]
    exports: Mapping[str, Callable[[Session, DriveFile], bytes]]
    imports: Mapping[str, Callable[[Session, DriveFile, bytes], None]]


Natives = Mapping[str, Native]


def by_type(natives: Iterable[Native]) -> Natives:
    """The services by the type that they own."""
    return {native.mime_type: native for native in natives}

"""Files that people give to a question: checked, kept under their content's hash, and discarded when unused."""

import glob
import hashlib
import mimetypes
import re
import shutil
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from core.errors import BadInput, StorageError
from core.mcp_server.shaping.files import folder_of, safe_name, save

MOST_FILES = 5
MOST_BYTES = 10 * 1024 * 1024
HASH_LENGTH = 16
UNKNOWN = ("", "application/octet-stream")
ALLOWED = (
    re.compile(r"text/[\w.+-]+"),
    re.compile(r"image/(png|jpeg|gif|webp|heic|heif|tiff|bmp)"),
    re.compile(r"application/(json|pdf|csv|xml|yaml|x-yaml|rtf|msword)"),
    re.compile(r"application/vnd\.(ms-excel|ms-powerpoint)"),
    re.compile(r"application/vnd\.openxmlformats-officedocument\.(wordprocessingml|spreadsheetml|presentationml)\.\w+"),
    re.compile(r"application/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)"),
)
KINDS = "text, CSV, JSON, PDF, pictures, and files of Word, Excel, PowerPoint and LibreOffice"


@dataclass(frozen=True)
class Upload:
    """A file as a person gives it; `mime` is what their browser says, and may be empty."""

    name: str
    mime: str
    content: bytes


class Uploads:
    """The folder of all files: `<account>/<user>/<hash of the content>/<name>`.

    Tools that act for an account may read the account's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, user_id: str, account: str, files: Sequence[Upload]) -> tuple[dict[str, Any], ...]:
        """Keep all files of a question, or none.

        Returns:
            What the conversation keeps of each: name, mime, size (bytes), sha256, and path below the folder.

        Raises:
            BadInput: there are too many, or one is too large, empty, or of a kind that is not taken.
            StorageError: the disk refused.
        """
        if len(files) > MOST_FILES:
            raise BadInput(f"{len(files)} files are too many: a question takes {MOST_FILES}. Send the others after it.")
        kinds = [kind_of(file) for file in files]
        place = Path(folder_of(account)) / folder_of(user_id)
        return tuple(self._keep(place, file, kind) for file, kind in zip(files, kinds, strict=True))

    def read(self, file: Mapping[str, Any]) -> bytes | None:
        """The content of a file that was kept; None where it is gone."""
        try:
            return (self._folder / str(file["path"])).read_bytes()
        except OSError:
            return None

    def forget(self, user_id: str) -> None:
        """Discard all files of a user."""
        for folder in self._folder.glob(f"*/{glob.escape(folder_of(user_id))}"):
            shutil.rmtree(folder, ignore_errors=True)

    def sweep(self, used: Set[str], before: datetime | None = None) -> int:
        """Discard the files that no question has.

        Args:
            used: the paths of those that one has.
            before: only those that were kept before this moment: a question may be about to be asked with others.

        Returns:
            How many were discarded.
        """
        found = [path for path in self._folder.rglob("*") if path.is_file() or path.is_symlink()]
        unused = [path for path in found if path.relative_to(self._folder).as_posix() not in used]
        if before is not None:
            unused = [path for path in unused if path.lstat().st_mtime < before.timestamp()]
        for path in unused:
            path.unlink(missing_ok=True)
        for path in sorted((path for path in self._folder.rglob("*") if path.is_dir()), reverse=True):
            with suppress(OSError):  # there is something in it
                path.rmdir()
        return len(unused)

    def _keep(self, place: Path, file: Upload, kind: str) -> dict[str, Any]:
        digest = hashlib.sha256(file.content).hexdigest()
        try:
            path = save(self._folder / place / digest[:HASH_LENGTH], file.name, file.content)
        except OSError as error:
            raise StorageError(
                f"{safe_name(file.name)} could not be kept: the disk may be full or read-only. Free some space, "
                "then try again."
            ) from error
        return {
            "name": safe_name(file.name),
            "mime": kind,
            "size": len(file.content),
            "sha256": digest,
            "path": path.relative_to(self._folder).as_posix(),
        }


def kind_of(file: Upload) -> str:
    """The MIME type of a file that is taken.

    Raises:
        BadInput: it is not; says why.
    """
    name = safe_name(file.name)
    if not file.content:
        raise BadInput(f"{name} is empty. Choose another file.")
    if len(file.content) > MOST_BYTES:
        size, most = (f"{bytes_ / 1024**2:.1f} MB" for bytes_ in (len(file.content), MOST_BYTES))
        raise BadInput(f"{name} has {size}; a file may have {most}. Send a smaller one.")
    told = file.mime.partition(";")[0].strip().lower()
    guessed = (mimetypes.guess_type(name)[0] or "").lower()
    kinds = [kind for kind in (told, guessed) if kind not in UNKNOWN]
    if not kinds or not all(any(allowed.fullmatch(kind) for allowed in ALLOWED) for kind in kinds):
        raise BadInput(f"{name} is of a kind that cannot be attached. Possible are {KINDS}.")
    return kinds[0]

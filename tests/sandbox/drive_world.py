"""Google's client on the sandbox's Drive, for Sam and for colleagues."""

import io
import json
from dataclasses import dataclass
from typing import Any

from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseUpload

from core.sandbox.sandbox import Sandbox

SAM, ANA, KENJI, TOM = (f"{name}@lumenworks.example" for name in ("sam", "ana", "kenji", "tom"))
OMAR = "omar@northgrid.example"


@dataclass(frozen=True)
class Drive:
    """One account's Drive; every call says that it knows of shared drives unless it says otherwise."""

    api: Any

    def get(self, file: str, fields: str = "*", **more: Any) -> dict[str, Any]:
        options = {"supportsAllDrives": True, **more}
        return self.api.files().get(fileId=file, fields=fields, **options).execute()

    def find(self, q: str, **more: Any) -> list[str]:
        """Names of the files that a query finds in My Drive and what is shared, in the order of their names."""
        options = {"orderBy": "name", "pageSize": 1000, **more}
        if "fullText" in q:
            options.pop("orderBy")
        return sorted(one["name"] for one in self.api.files().list(q=q, **options).execute()["files"])

    def create(self, body: dict[str, Any], media: Any = None, **more: Any) -> dict[str, Any]:
        options = {"supportsAllDrives": True, "fields": "*", **more}
        return self.api.files().create(body=body, media_body=media, **options).execute()

    def update(self, file: str, body: dict[str, Any] | None = None, media: Any = None, **more: Any) -> dict[str, Any]:
        options = {"supportsAllDrives": True, "fields": "*", **more}
        return self.api.files().update(fileId=file, body=body or {}, media_body=media, **options).execute()

    def data(self, file: str) -> bytes:
        return self.api.files().get_media(fileId=file, supportsAllDrives=True).execute()

    def share(self, file: str, body: dict[str, Any], **more: Any) -> dict[str, Any]:
        options = {"supportsAllDrives": True, "fields": "*", **more}
        return self.api.permissions().create(fileId=file, body=body, **options).execute()

    def grants(self, file: str) -> dict[str, str]:
        """Who has which role for a file."""
        found = self.api.permissions().list(fileId=file, fields="*", supportsAllDrives=True).execute()["permissions"]
        return {one.get("emailAddress", one.get("domain", one["type"])): one["role"] for one in found}


def drive_of(sandbox: Sandbox, account: str = SAM) -> Drive:
    return Drive(build("drive", "v3", http=sandbox.http(account), cache_discovery=False, static_discovery=True))


def media(data: bytes, kind: str = "text/plain", **options: Any) -> MediaIoBaseUpload:
    return MediaIoBaseUpload(io.BytesIO(data), kind, **options)


def refusal(error: HttpError) -> tuple[int, str, str]:
    """Status, reason and sentence of Google's error."""
    body = json.loads(error.content)["error"]
    return int(error.resp.status), body["errors"][0]["reason"], body["message"]


def refused(call: Any) -> tuple[int, str, str]:
    """How a call is refused."""
    try:
        call()
    except HttpError as error:
        return refusal(error)
    raise AssertionError("it was not refused")

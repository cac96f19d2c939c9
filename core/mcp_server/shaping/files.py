"""Names and places for files from mails: safe on every system, and always inside the folder."""

import hashlib
import os
import re
from pathlib import Path

from core.mcp_server.shaping.text import plain_name

FORBIDDEN = re.compile(r'[<>:"/\\|?*]+')
DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
LONGEST = 150


def safe_name(name: str) -> str:
    """A file name that keeps its words and its ending, and can mean nothing but a file."""
    base = FORBIDDEN.sub("_", plain_name(name)).strip(" .")
    base = re.sub(r"_?\.\._?", "_", base).strip("_ .") or "attachment"
    if DEVICES.match(base):
        base = f"_{base}"
    stem, dot, suffix = base.rpartition(".")
    room = LONGEST - len(f"{dot}{suffix}".encode())
    if not dot or room < 20:
        return shorten(base, LONGEST)
    return f"{shorten(stem, room)}{dot}{suffix}"


def folder_of(name: str) -> str:
    """A folder's name for an account or a user; one that had to be changed gets a mark of its own."""
    safe = re.sub(r"[^\w@.+-]", "_", name).strip(".")
    return safe if safe == name else f"{safe}~{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def shorten(text: str, size: int) -> str:
    """At most so many bytes of UTF-8, whole characters."""
    return text.encode()[:size].decode(errors="ignore")


def save(folder: Path, name: str, data: bytes) -> Path:
    """Store a file under a safe name; another file of this name keeps its own.

    Args:
        folder: made when it is not there, readable by its owner only.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    safe, digest = safe_name(name), hashlib.sha256(data).digest()
    stem, dot, suffix = safe.rpartition(".")
    for number in range(1, 1000):
        label = safe if number == 1 else f"{stem or suffix} ({number}){dot}{suffix if stem else ''}"
        path = folder / label
        if write_new(path, data) or hashlib.sha256(path.read_bytes()).digest() == digest:
            return path
    raise OSError(f"there are 999 files like {safe} in the folder already")


def write_new(path: Path, data: bytes) -> bool:
    """Write a file that must not be there yet; whole or not at all."""
    part = path.with_name(f".{os.getpid()}-{os.urandom(4).hex()}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.link(part, path)
    except FileExistsError:
        return False
    finally:
        part.unlink()
    return True

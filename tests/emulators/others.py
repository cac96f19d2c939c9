"""Emulators of Google by others, where they are installed: each with a small world of Sam's."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httplib2
import yaml

from tests.emulators.gateway import Gateway, free_port, installed, running

SAM, ANA, KENJI = (f"{name}@lumenworks.example" for name in ("sam", "ana", "kenji"))
MYWORLD = installed("EMULATOR_MYWORLD", "myworld")
BACKLOT = installed("EMULATOR_BACKLOT", "backlot")
EMULATE = installed("EMULATOR_EMULATE")
"""A folder in which npm put `emulate` and `node`."""
MOUNTS = {"docs.googleapis.com": "/docs", "sheets.googleapis.com": "/sheets", "slides.googleapis.com": "/slides"}
"""Where backlot keeps the services whose paths would collide."""
DOTTED = re.compile(r"[?&]fields=[^&]*")
Json = dict[str, Any]


@contextmanager
def myworld(servers: Mapping[str, Json], folder: Path) -> Iterator[Gateway]:
    """A myworld of some services, each with its seed, as its one user sees it; a search finds what was just made."""
    port = free_port()
    command = [MYWORLD or "", "serve", "--host", "127.0.0.1", "--port", str(port), "--no-passthrough"]
    with running(command, folder, port) as root:
        seeds = {name: {"seed": {**seed, "search_lag": {"files": 0}}} for name, seed in servers.items()}
        body = json.dumps({"spec": {"name": "office", "servers": seeds}})
        _, answer = httplib2.Http(timeout=20).request(
            f"{root}/envs", "POST", body, {"content-type": "application/json"}
        )
        (credentials,) = json.loads(answer)["credentials"].values()
        yield Gateway(
            lambda host, path: f"{root}/gw/{host}{DOTTED.sub(slashed, path)}", credentials["google_access_token"]
        )


def slashed(fields: re.Match[str]) -> str:
    """Fields as myworld spells them: `a/b`, where Google takes `a.b` too."""
    return fields.group().replace(".", "/")


@contextmanager
def emulate(google: Json, folder: Path) -> Iterator[Gateway]:
    """An emulate of Google with a seed; any token will do, and means its first user."""
    port, seed = free_port(), folder / "seed.yaml"
    seed.write_text(yaml.safe_dump({"google": google}, allow_unicode=True), encoding="utf-8")
    modules = (EMULATE or Path()) / "node_modules"
    program = [modules / ".bin" / "node", modules / "emulate" / "dist" / "index.js"]
    with running([*program, "start", "-s", "google", "-p", str(port), "--seed", seed], folder, port) as root:
        yield Gateway(lambda host, path: f"{root}{path}", "any", splits=True)


@dataclass(frozen=True)
class Library:
    """A backlot: the ids under which it serves the documents of a corpus, and each person's way there."""

    ids: Mapping[str, str]
    people: Mapping[str, Gateway]


@contextmanager
def backlot(folder: Path, corpus: Sequence[Json] = ()) -> Iterator[Library]:
    """A backlot that serves a corpus, or the one that it brings along; it takes no changes and sends nothing home."""
    data, quiet = folder / "data", {"BACKLOT_TELEMETRY": "0", "DO_NOT_TRACK": "1"}
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps(one) for one in corpus), encoding="utf-8")
    command = [BACKLOT or "", "import", "corpus.jsonl" if corpus else "--bundled", "--data-dir", data]
    subprocess.run([*command, "--id-map", "ids.json"], cwd=folder, env=quiet, check=True, capture_output=True)
    found = json.loads((folder / "ids.json").read_text())["documents"]
    users = yaml.safe_load((data / "tokens.yaml").read_text())["users"]
    port = free_port()
    with running([BACKLOT or "", "serve", "--port", str(port), "--data-dir", data], folder, port, **quiet) as root:
        people = {one["email"]: library_card(root, one["token"]) for one in users}
        ids = {key: one["id"] for service in found.values() for key, one in service.items() if "id" in one}
        yield Library(ids, people)


def library_card(root: str, token: str) -> Gateway:
    """A person's way to a backlot: services whose paths would collide have a mount each, and all batches one place."""

    def place(host: str, path: str) -> str:
        return f"{root}{'' if path.startswith('/batch') else MOUNTS.get(host, '')}{path}"

    return Gateway(place, token, inside=lambda host, body: body.replace("\nGET /v", f"\nGET {MOUNTS.get(host, '')}/v"))

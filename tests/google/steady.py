"""Ten thousand requests in a process of its own; prints its memory in kB once it is warm, and at the end."""

import json
import resource
from pathlib import Path

import httplib2

from core.google.clients import GoogleClients

ANSWER = json.dumps({"id": "x", "snippet": "word " * 40}).encode()
WARM, ALL = 12, 10_000


class Google:
    """Answers everything, as `httplib2.Http` would."""

    def request(self, uri: str, method: str = "GET", **_: object) -> tuple[httplib2.Response, bytes]:
        return httplib2.Response({"status": "200", "content-type": "application/json"}), ANSWER


def memory() -> int:
    """Resident now in kB; where the system does not say, the most there ever was."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])


def main() -> None:
    clients, sizes = GoogleClients(lambda _: Google()), []
    for number in range(ALL):
        google = clients.for_account(f"person{number % 3}@lumenworks.example")
        match number % 4:  # documents() and spreadsheets() are the ones that cost memory each time they are made
            case 0:
                request = google.resource("gmail.users.messages").get(userId="me", id=str(number))
            case 1:
                request = google.resource("docs.documents").get(documentId=str(number))
            case 2:
                request = google.resource("sheets.spreadsheets.values").get(spreadsheetId=str(number), range="A1")
            case _:
                request = google.resource("drive.files").get(fileId=str(number), supportsAllDrives=True)
        assert google.execute(request)["id"] == "x"
        if number + 1 in (WARM, ALL):
            sizes.append(memory())
    print(json.dumps(sizes))


if __name__ == "__main__":
    main()

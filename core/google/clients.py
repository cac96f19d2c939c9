"""Google's APIs for an account: requests are built once, sent with patience, and their failures are sentences."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from googleapiclient.discovery import build
from googleapiclient.http import HttpRequest

from core.google.batches import Batch
from core.google.errors import FAILURES, GoogleError, google_error, unreadable
from core.google.patience import Patience
from core.google.spans import Traced
from core.google.transport import Transport, Transports, UserTransport

VERSIONS = {"gmail": "v1", "calendar": "v3", "drive": "v3", "docs": "v1", "sheets": "v4", "slides": "v1"}
READING_POSTS = frozenset({"calendar.freebusy.query"})
BATCH = 25
T = TypeVar("T")


class NoHttp:
    """Stands in while requests are built; each is sent over its account's own transport."""

    def request(self, *_: Any, **__: Any) -> Any:
        """Refuse."""
        raise AssertionError("a request must be sent through Google.execute or Google.batch")


class GoogleClients:
    """The accounts' ways to Google. Safe for any threads.

    Args:
        transport: opens an HTTP object for an account, whoever's it is; asked once for each thread.
        patience: how often and how long reads are repeated.
    """

    def __init__(self, transport: Transport, patience: Patience | None = None) -> None:
        self._transports = Transports(lambda _, account: transport(account))
        self._patience = patience or Patience()
        self._services: dict[str, Any] = {}
        self._resources: dict[str, Any] = {}
        self._lock = threading.Lock()

    @classmethod
    def of_users(cls, transport: UserTransport, patience: Patience | None = None) -> "GoogleClients":
        """The ways to Google of accounts that users have connected.

        Args:
            transport: opens an HTTP object for a user's account.
        """
        clients = cls(lambda account: transport("", account), patience)
        clients._transports = Transports(transport)
        return clients

    def for_account(self, account: str, user_id: str = "") -> "Google":
        """Google as one account sees it.

        Args:
            user_id: whose connection of that account it is.
        """
        return Google(account, self, self._transports, self._patience, user_id)

    def resource(self, path: str) -> Any:
        """The builder of requests of an API's collection, such as `gmail.users.messages`; made once."""
        with self._lock:
            if path not in self._resources:
                service, *collections = path.split(".")
                resource = self._service(service)
                for name in collections:
                    resource = getattr(resource, name)()
                self._resources[path] = resource
            return self._resources[path]

    def prepare(self, services: Iterable[str]) -> None:
        """Read the descriptions of some APIs now, so that no question waits for it; what is not Google's has none."""
        for service in services:
            if service in VERSIONS:
                self.resource(service)

    def empty_batch(self, service: str) -> Batch:
        """A batch for one API; Google takes no mixed ones."""
        with self._lock:
            return Batch(batch_uri=self._service(service).new_batch_http_request()._batch_uri)

    def _service(self, name: str) -> Any:
        if name not in self._services:
            version = VERSIONS[name]
            self._services[name] = build(name, version, http=NoHttp(), cache_discovery=False, static_discovery=True)
        return self._services[name]


class Google:
    """One account's requests."""

    def __init__(
        self, account: str, clients: GoogleClients, transports: Transports, patience: Patience, user_id: str = ""
    ) -> None:
        self.account, self.user_id = account, user_id
        self._clients, self._transports, self._patience = clients, transports, patience

    def resource(self, path: str) -> Any:
        """The builder of requests of a collection, such as `calendar.events`."""
        return self._clients.resource(path)

    def execute(self, request: HttpRequest) -> dict[str, Any]:
        """Send one request; a read is repeated where that may help, a write never.

        The content of a resumable upload goes on where it broke, as Google's protocol has it; its begin is sent once.

        Returns:
            Google's answer; `{}` where it has no body.

        Raises:
            GoogleError: says what to do next.
        """
        if request.resumable is not None:
            return self._upload(request)
        reads = is_read(request)
        return self._patiently(lambda sent: checked(self._once(request, reads, sent), reads))

    def download(self, request: HttpRequest) -> bytes:
        """Get what is no JSON: the bytes of a file, or an export. It is repeated as any read is.

        Args:
            request: such as `drive.files`' `get_media(fileId=…)` or `export_media(fileId=…, mimeType=…)`.

        Raises:
            GoogleError: says what to do next.
        """
        answer = self._patiently(lambda sent: self._once(request, True, sent))
        if not isinstance(answer, bytes):
            raise unreadable(True)
        return answer

    def rest(self, seconds: float) -> None:
        """Give Google time before it is asked about something that it was just told."""
        self._patience.sleep(seconds)

    def batch(self, requests: Mapping[str, HttpRequest]) -> dict[str, dict[str, Any] | GoogleError]:
        """Send several reads of one API together, at most 25 a batch; only what failed is sent again.

        Returns:
            for each id its answer or why there is none, in the order of `requests`.

        Raises:
            GoogleError: where a whole batch failed.
        """
        found: dict[str, dict[str, Any] | GoogleError] = {}
        for group in chunks(requests, BATCH):
            found |= self._batch(group)
        return {key: found[key] for key in requests}

    def _upload(self, request: HttpRequest) -> dict[str, Any]:
        failures: list[GoogleError] = []

        def once(sent: int) -> dict[str, Any]:
            try:
                return self._chunks(request, sent)
            except GoogleError as error:
                failures.append(error)
                raise

        try:
            return self._patiently(once)
        except GoogleError as error:
            known = [as_write(one, request.methodId) for one in failures]
            raise next((one for one in known if one.outcome_unknown), known[-1]) from error

    def _chunks(self, request: HttpRequest, sent: int) -> dict[str, Any]:
        """Send what Google has not yet; after a failure the client asks first how far it came."""
        answer = None
        try:
            while answer is None:
                _, answer = request.next_chunk(http=self._http(request.methodId, sent))
        except FAILURES as error:
            raise google_error(error, request.methodId, reads=request.resumable_uri is not None) from error
        return checked(answer, False)

    def _once(self, request: HttpRequest, reads: bool, sent: int) -> Any:
        try:
            return request.execute(http=self._http(request.methodId, sent))
        except FAILURES as error:
            raise google_error(error, request.methodId, reads) from error

    def _batch(self, requests: Mapping[str, HttpRequest]) -> dict[str, dict[str, Any] | GoogleError]:
        found: dict[str, dict[str, Any] | GoogleError] = {}

        def once(sent: int) -> None:
            found.update(self._send({key: requests[key] for key in requests if open_still(found.get(key))}, sent))
            failures = [result for result in found.values() if isinstance(result, GoogleError) and result.transient]
            if failures:
                raise failures[0]

        try:
            self._patiently(once)
        except GoogleError:
            if len(found) < len(requests):
                raise
        return found

    def _send(self, requests: Mapping[str, HttpRequest], sent: int) -> dict[str, dict[str, Any] | GoogleError]:
        reads = all(map(is_read, requests.values()))
        service = next(iter(requests.values())).methodId.split(".", 1)[0]
        batch, found = self._clients.empty_batch(service), dict[str, dict[str, Any] | GoogleError]()
        for number, (key, request) in enumerate(requests.items()):  # keys may hold what a header may not
            batch.add(request, callback=collector(found, key, request, reads), request_id=str(number))
        try:
            batch.execute(http=self._http(f"{service}.batch", sent))
        except FAILURES as error:
            raise google_error(error, f"{service}.batch", reads) from error
        except (KeyError, ValueError) as error:  # what googleapiclient lets through for a garbled multipart answer
            raise unreadable(reads) from error
        return found

    def _http(self, name: str, sent: int) -> Traced:
        return Traced(self._transports.of(self.user_id, self.account), name, resend=sent)

    def _patiently(self, once: Callable[[int], T]) -> T:
        since, sent = self._patience.clock(), 0
        while True:
            try:
                return once(sent)
            except GoogleError as error:
                sent += 1
                if not self._patience.pause(sent, since, error):
                    raise


def is_read(request: HttpRequest) -> bool:
    """Whether a request changes nothing; a GET with a long query travels as a POST."""
    overridden = request.headers.get("x-http-method-override", request.method)
    return overridden in ("GET", "HEAD") or request.methodId in READING_POSTS


def as_write(error: GoogleError, method_id: str) -> GoogleError:
    """An error of an upload's part, which may be repeated, as the person hears of it when nothing more is tried."""
    cause = error.__cause__
    return google_error(cause, method_id, False) if isinstance(cause, FAILURES) else error


def checked(answer: Any, reads: bool) -> dict[str, Any]:
    """Google's answer: an object, or nothing after some writes.

    Raises:
        GoogleError: it is anything else, so it is not Google's.
    """
    if isinstance(answer, dict):
        return answer
    if answer or reads:
        raise unreadable(reads)
    return {}


def open_still(result: dict[str, Any] | GoogleError | None) -> bool:
    """Whether a batch's part must be sent, or sent again."""
    return result is None or (isinstance(result, GoogleError) and result.transient)


def collector(
    found: dict[str, dict[str, Any] | GoogleError], key: str, request: HttpRequest, reads: bool
) -> Callable[..., None]:
    """The callback that keeps one part's answer or error."""

    def collect(_: str, answer: Any, error: Exception | None) -> None:
        try:
            found[key] = google_error(error, request.methodId, reads) if error else checked(answer, reads)
        except GoogleError as unread:
            found[key] = unread

    return collect


def chunks(requests: Mapping[str, HttpRequest], size: int) -> Sequence[dict[str, HttpRequest]]:
    """The requests in groups."""
    items = iter(requests.items())
    return list(iter(lambda: dict(islice(items, size)), {}))

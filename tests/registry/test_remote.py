"""Routing by a server's embeddings, by the built-in ones where it fails; vectors kept on disk by content."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.registry.remote import NOTE, REST, EmbeddingsFailed, RemoteEmbedder, RemoteRouter
from core.registry.router import Router, Thresholds
from core.registry.vectors import KeptVectors

CATALOGUE, EMBEDDER = load_catalogue(), Embedder()
UNREAD = "Show my unread emails"


class Server(ThreadingHTTPServer):
    """`/embeddings` with the built-in vectors, in any order; or whatever it is told to say."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[list[str]] = []
        self.says: bytes | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body["input"])
        rows = [{"index": i, "embedding": v.tolist()} for i, v in enumerate(EMBEDDER.embed(body["input"]) * 3)]
        told = self.server.says or json.dumps({"data": rows[::-1], "model": body["model"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server()
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield served
    served.shutdown()
    served.server_close()


@pytest.fixture(scope="module")
def local() -> Router:
    return Router(CATALOGUE, EMBEDDER)


def test_a_server_gives_unit_vectors_in_the_order_of_the_texts(server):
    texts = [f"text {number}" for number in range(300)]
    vectors = RemoteEmbedder("any", server.url, "").embed(texts)
    assert np.allclose(vectors, EMBEDDER.embed(texts), atol=1e-5)
    assert [len(asked) for asked in server.asked] == [256, 44]


@pytest.mark.parametrize("says", [b"{}", b"not json", b'{"data": []}'])
def test_a_server_that_answers_something_else_has_failed(server, says):
    server.says = says
    with pytest.raises(EmbeddingsFailed):
        RemoteEmbedder("any", server.url, "").embed(["one"])


def test_a_question_is_routed_by_the_servers_vectors_and_the_examples_are_asked_for_once(server, local, tmp_path):
    for _ in range(2):
        embedder = RemoteEmbedder("any", server.url, "")
        remote = Router(CATALOGUE, embedder, kept=KeptVectors(embedder, tmp_path / "vectors.npz"))
        decision = RemoteRouter(remote, local).route(UNREAD)
        assert (decision.route, decision.domains, NOTE in decision.reason) == ("direct", ("gmail",), False)
    assert [asked for asked in server.asked if asked[0] == server.asked[0][0]] == [server.asked[0]]
    assert server.asked[-1] == [UNREAD]


def test_where_the_server_fails_the_built_in_vectors_decide_and_it_is_left_alone_for_a_while(server, local):
    server.says, now = b"{}", [0.0]
    router = RemoteRouter(Router(CATALOGUE, RemoteEmbedder("any", server.url, "")), local, lambda: now[0])
    for _ in range(2):
        decision = router.route(UNREAD)
        assert decision.domains == ("gmail",)
        assert decision.reason.endswith(NOTE)
    assert len(server.asked) == 1
    now[0], server.says = REST, None
    assert NOTE not in router.route(UNREAD).reason


def test_other_embeddings_have_thresholds_of_their_own():
    strict = Router(CATALOGUE, EMBEDDER, thresholds=Thresholds(0.99, 0.5))
    decision = strict.route(UNREAD)
    assert decision.route == "orchestrated"
    assert "0.99 and +0.50 are needed" in decision.reason


class Counting:
    """The built-in vectors, and what was embedded."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts):
        self.texts += texts
        return EMBEDDER.embed(texts)


def test_vectors_are_kept_by_content(tmp_path):
    path, first, second = tmp_path / "vectors.npz", Counting(), Counting()
    KeptVectors(first, path).embed(["a mail", "an event", "a mail"])
    found = KeptVectors(second, path).embed(["an event", "a file"])
    assert (first.texts, second.texts) == (["a mail", "an event"], ["a file"])
    assert np.allclose(found, EMBEDDER.embed(["an event", "a file"]))


@pytest.mark.parametrize("content", [b"", b"PK broken", b"not a file of vectors"])
def test_a_broken_file_of_vectors_is_made_anew(tmp_path, content):
    path = tmp_path / "vectors.npz"
    path.write_bytes(content)
    assert KeptVectors(EMBEDDER, path).embed(["a mail"]).shape[0] == 1
    again = Counting()
    KeptVectors(again, path).embed(["a mail"])
    assert again.texts == []


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path):
    assert KeptVectors(EMBEDDER, tmp_path / "gone" / "vectors.npz").embed(["a mail"]).shape[0] == 1

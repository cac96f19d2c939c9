"""No secret reaches the database; long texts are cut with a mark; content follows the capture setting."""

import base64
import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.trace import StatusCode
from sqlmodel import select

from telemetry.redaction import Redactor
from telemetry.secrets import RULES, hide, suspects
from telemetry.setup import Telemetry
from telemetry.tables import Payload, Span, Turn
from telemetry.texts import size_of

CORE = "Zx9Qw8Er7Ty6Ui5Op4As3Df2"
PLANTED = (
    f"sk-proj-{CORE}",
    f"sk-or-v1-{CORE}{CORE}",
    f"AIza{CORE}{CORE}",
    f"ghp_{CORE}{CORE}",
    f"github_pat_{CORE}",
    f"ya29.{CORE}-{CORE}",
    f"1//0g{CORE}",
    f"GOCSPX-{CORE}",
    f"Authorization: Bearer {CORE}",
    f"Authorization: Basic {CORE}==",
    f"proxy-authorization: {CORE}",
    f"Bearer {CORE}",
    f"Cookie: sid={CORE}; theme={CORE}",
    f"Set-Cookie: sid={CORE}; Path=/",
    f"password={CORE}",
    f"My Password: {CORE}",
    f"client_secret={CORE}&grant_type=x",
    f"https://accounts.example/token?refresh_token={CORE}&x=1",
    f"GLASSDESK_MODEL_API_KEY={CORE}",
    f"X-Api-Key: {CORE}",
    f"token: {CORE}",
    f"eyJhbGci{CORE}.eyJzdWIi{CORE}.{CORE}",
    f"eyJhbGci{CORE}.eyJz{CORE * 20}.{CORE}",
    f"postgresql://user:{CORE}@host/db",
    f"-----BEGIN RSA PRIVATE KEY-----\n{CORE}\n-----END RSA PRIVATE KEY-----",
    f"xoxb-{CORE}",
    f"the configured key literal-{CORE[:8].lower()}-key",
)


def nested(value: str) -> tuple[Any, ...]:
    """A secret as it is, in JSON, and in JSON within JSON."""
    once = json.dumps({"note": value, "n": 1})
    return value, once, json.dumps({"body": once}), json.dumps([{"a": json.dumps({"b": once})}])


@pytest.mark.parametrize("secret", PLANTED)
def test_a_secret_is_hidden_as_text_and_in_nested_json(secret: str) -> None:
    redactor = Redactor(secrets=[PLANTED[-1].removeprefix("the configured key ")])
    for text in nested(secret):
        cleaned = redactor.text(f"before {text} after")
        assert CORE not in cleaned and CORE[:8].lower() not in cleaned
        assert cleaned.startswith("before ")


@pytest.mark.parametrize(
    "name", ["password", "api_key", "client_secret", "refresh_token", "Authorization", "x-api-key"]
)
def test_the_value_of_a_secret_name_is_hidden_whatever_it_looks_like(name: str) -> None:
    value = 'spoken words with "quotes" and \\ '
    for text in nested(json.dumps({name: value, "kept": "this stays"})):
        cleaned = Redactor().text(text)
        assert "spoken words" not in cleaned and "quotes" not in cleaned
        assert "this stays" in cleaned
    assert Redactor().clean("s", {f"http.request.header.{name}": value}).attributes == {
        f"http.request.header.{name}": "[redacted]"
    }


@pytest.mark.parametrize(
    "text",
    [
        "gen_ai.usage.input_tokens: 1200, max_tokens: 12345",
        '{"input_tokens": 1200, "total_tokens": 1400}',
        "Tom has the basic requirements; the bearer of this letter is Ana.",
        "Invoice 2041 is due on Friday. The secret: patience.",
        "製品ロードマップのレビュー, مراجعة خارطة الطريق, 🙂",
        "https://mail.example/u/0/#inbox?page=2",
        "The password was changed; the cookie jar is empty.",
        '{"password": null, "token": true}',
        "task-force, risk-averse, desk-bound; 1//2",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Redactor().text(text) == text


@settings(deadline=None)
@given(st.text())
def test_the_quick_look_never_misses_what_the_rules_would_hide(text: str) -> None:
    for prefix in ("", "password=", "sk-", "Cookie: a=", "TOKEN: "):
        assert hide(prefix + text, suspects(prefix + text)) == hide(prefix + text, RULES)


@settings(deadline=None)
@given(st.recursive(st.text() | st.integers() | st.floats() | st.none(), lambda inner: st.lists(inner), max_leaves=9))
def test_any_value_becomes_one_that_json_and_utf_8_take(value: object) -> None:
    cleaned = Redactor().clean("s", {"value": value}).attributes
    json.dumps(cleaned, ensure_ascii=False, allow_nan=False).encode()


def test_base64_is_replaced_by_type_size_and_hash() -> None:
    picture = b"\x89PNG\r\n" + bytes(range(256)) * 8
    code, digest = base64.b64encode(picture).decode(), hashlib.sha256(picture).hexdigest()[:12]
    expected = f"[base64 image/png, {len(picture):,} bytes, sha256 {digest}]"
    redactor = Redactor()
    assert redactor.text(code) == expected
    assert redactor.text(f'{{"data": "{code}"}}') == f'{{"data": "{expected}"}}'
    assert redactor.text(base64.urlsafe_b64encode(picture).decode()) == expected
    assert redactor.text(base64.encodebytes(picture).decode()) == f"{expected}\n"
    assert redactor.text(json.dumps(base64.encodebytes(picture).decode().strip())) == f'"{expected}"'
    assert redactor.text(f"data:image/webp;base64,{code}").endswith(expected.replace("png", "webp"))
    assert redactor.text("a" * 5_000) == "a" * 5_000


def test_a_long_text_is_cut_with_its_size_and_kept_whole_beside() -> None:
    text = "Grüße aus Berlin. " * 2_000
    clean = Redactor().clean("s", {"gen_ai.tool.call.result": text})
    shown = clean.attributes["gen_ai.tool.call.result"]
    assert shown.startswith("Grüße aus Berlin. ")
    assert shown.endswith(f"… [cut: 8,000 of {size_of(text):,} bytes]")
    (whole,) = clean.wholes
    assert (whole.key, whole.text, whole.size) == ("gen_ai.tool.call.result", text, size_of(text))


def test_a_huge_text_is_kept_to_a_million_bytes_and_says_so() -> None:
    text = "word " * 400_000
    (whole,) = Redactor().clean("s", {"gen_ai.input.messages": text}).wholes
    assert whole.size == 2_000_000
    assert whole.text.endswith("… [cut: 1,000,000 of 2,000,000 bytes]")


def test_a_secret_across_the_cut_is_not_left_in_half() -> None:
    secret = f"sk-proj-{CORE}"
    for shift in range(len(secret)):
        text = "x" * 100 + " word" * 1_600
        text = text[: 8_000 - shift] + " " + secret + " and on" * 100
        assert CORE[:6] not in Redactor().text(text)


def test_a_failing_redactor_drops_the_content_and_keeps_the_span(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Mapping[str, str]):
        def __getitem__(self, key: str) -> str:
            raise RuntimeError(CORE)

        def __iter__(self) -> Any:
            return iter(["a"])

        def __len__(self) -> int:
            return 1

    found = {"gen_ai.tool.name": "send", "gen_ai.tool.call.result": CORE, "n": 1, "other": CORE, "broken": Broken()}
    with caplog.at_level(logging.WARNING):
        clean = Redactor().clean(f"execute_tool {CORE}", found)
    assert clean.attributes == {"gen_ai.tool.name": "send", "n": 1, "glassdesk.redaction": "failed"}
    assert CORE not in clean.name and CORE not in caplog.text
    assert "dropped" in caplog.text


def record(url: str, capture: str) -> Telemetry:
    """Store a turn with secrets in every place that a span has."""
    telemetry = Telemetry(url, capture=capture, secrets=("literal-zx9qw8er-key",))
    tracer = telemetry.tracer_provider.get_tracer("test")
    everything = json.dumps(PLANTED)
    identity = {
        "glassdesk.user.id": "local",
        "gen_ai.conversation.id": "c1",
        "glassdesk.question": f"Sam: {everything}",
    }
    with tracer.start_as_current_span("turn", attributes=identity) as root:
        with tracer.start_as_current_span(f"execute_tool sk-proj-{CORE}") as span:
            span.set_attribute("gen_ai.tool.call.arguments", everything)
            span.set_attribute("gen_ai.tool.call.result", "long text " * 2_000 + everything)
            span.set_attribute("http.request.header.cookie", [f"sid={CORE}"])
            span.set_attribute("list", list(PLANTED))
            span.set_attribute("nested", {"deep": {"password": CORE, "text": [everything]}})
            span.add_event("retry", {"url": f"https://x.example/?access_token={CORE}"})
            span.record_exception(RuntimeError(everything))
            span.set_status(StatusCode.ERROR, everything)
        root.set_attribute("glassdesk.error", everything)
    telemetry.account(f"{root.get_span_context().trace_id:032x}")
    return telemetry


@pytest.mark.parametrize("capture", ["full", "metadata", "off"])
def test_planted_secrets_are_nowhere_in_the_database_files(tmp_path: Path, capture: str) -> None:
    telemetry = record(f"sqlite:///{tmp_path / 'telemetry.db'}", capture)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    telemetry.shutdown()
    stored += b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"execute_tool" in stored
    assert CORE.encode() not in stored
    assert b"literal-zx9qw8er-key" not in stored


def test_capture_decides_what_is_kept_of_the_content(tmp_path: Path) -> None:
    seen = {}
    for capture in ("full", "metadata", "off"):
        telemetry = record(f"sqlite:///{tmp_path / capture}.db", capture)
        with telemetry.store.reader() as session:
            span = session.exec(select(Span).where(Span.type != "turn")).one()
            question = session.exec(select(Turn.question)).one()
            payloads = session.exec(select(Payload.key)).all()
        seen[capture] = span.attributes.get("gen_ai.tool.call.result"), question, payloads
        telemetry.shutdown()
    assert seen["off"] == (None, None, [])
    assert [str(text).startswith("[2") for text in seen["metadata"][:1]] == [True]
    assert seen["metadata"][2] == []
    assert str(seen["full"][0]).startswith("long text")
    assert str(seen["full"][1]).startswith("Sam:")
    assert seen["full"][2] == ["gen_ai.tool.call.result"]


def test_every_script_is_stored_as_itself(telemetry_url: str) -> None:
    words = "製品ロードマップのレビュー 🙂👩🏽‍💻 مرحبا שלום Größe"
    telemetry = Telemetry(telemetry_url)
    tracer = telemetry.tracer_provider.get_tracer("test")
    with tracer.start_as_current_span("turn", attributes={"glassdesk.question": words, "list": [words]}) as span:
        span.add_event(words, {"text": words})
    assert telemetry.flush()
    with telemetry.store.reader() as session:
        found = session.exec(select(Span)).one()
        raw = (
            session.connection()
            .exec_driver_sql("SELECT CAST(attributes AS TEXT) || CAST(events AS TEXT) FROM span")
            .scalar()
        )
    assert found.attributes == {"glassdesk.question": words, "list": [words]}
    assert (found.events[0]["name"], found.events[0]["attributes"]) == (words, {"text": words})
    assert "\\u" not in str(raw)
    telemetry.shutdown()

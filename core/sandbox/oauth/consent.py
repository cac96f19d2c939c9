"""What a person sees of the sandbox's sign-in: one page with the account and the permissions, and where it leads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from jinja2 import Environment, FileSystemLoader, select_autoescape

from core.sandbox.oauth.office import Office
from core.settings import ROOT

TEMPLATES = ROOT / "data" / "sandbox" / "oauth"
ALWAYS = {"openid", "email", "profile"}
USERINFO = "https://www.googleapis.com/auth/userinfo."
ASKED = (
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "access_type",
    "prompt",
    "include_granted_scopes",
    "login_hint",
    "code_challenge",
    "nonce",
)
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' {home}; "
    "frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
Fields = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Shown:
    """A page, or the way on.

    Attributes:
        body: HTML; empty where `location` leads on.
    """

    status: int
    body: str = ""
    location: str = ""
    home: str = ""

    def headers(self) -> dict[str, str]:
        """The headers of the answer."""
        found = {name: value.format(home=self.home).strip() for name, value in HEADERS.items()}
        return {**found, "location": self.location} if self.location else found


class ConsentPages:
    """The consent page and its form.

    Args:
        office: who decides.
        purposes: scope, as Google spells it → what it is for, one sentence.
    """

    def __init__(self, office: Office, purposes: Mapping[str, str]) -> None:
        self._office, self._purposes = office, purposes
        loader = FileSystemLoader(TEMPLATES)
        self._pages = Environment(loader=loader, autoescape=select_autoescape(default=True), trim_blocks=True)

    def open(self, query: Mapping[str, str]) -> Shown:
        """The page that asks; or, where there is nothing left to ask, the way back at once."""
        asked = {name: query.get(name, "") for name in ASKED}
        wrong = self._wrong(asked)
        if wrong:
            return self._sorry(wrong)
        refused = refused_by(query, asked, self._purposes)
        if refused:
            return self._back(asked, {"error": refused})
        known = asked["login_hint"] in self._office.accounts
        wanted = set(asked["scope"].split())
        if known and not asked["prompt"] and wanted <= self._office.granted(asked["client_id"], asked["login_hint"]):
            return self._back(asked, {"code": self._office.allow(asked, asked["login_hint"], wanted)})
        return self._page(asked)

    def answer(self, form: Fields) -> Shown:
        """What comes of the form: the way back, with a code or with why not."""
        asked = self._office.take_page(last(form, "ticket"))
        if asked is None:
            return self._sorry("This page was used before, or is too old. Go back to the app and start again.")
        if last(form, "answer") != "allow":
            return self._back(asked, {"error": "access_denied"})
        email, wanted = last(form, "account"), set(asked["scope"].split())
        if email not in self._office.accounts:
            return self._sorry("There is no such account. Go back to the app and start again.")
        chosen = {scope for scope in wanted if is_identity(scope)} | (wanted & set(form.get("scope", ())))
        if not any(scope for scope in chosen if not is_identity(scope)):
            return self._back(asked, {"error": "access_denied"})
        return self._back(asked, {"code": self._office.allow(asked, email, chosen)})

    def _page(self, asked: dict[str, str]) -> Shown:
        scopes = [scope for scope in asked["scope"].split() if not is_identity(scope)]
        body = self._pages.get_template("consent.html").render(
            ticket=self._office.open_page(asked),
            accounts=self._office.accounts,
            chosen=asked["login_hint"] if asked["login_hint"] in self._office.accounts else self._office.accounts[0],
            scopes=[(scope, self._purposes[scope]) for scope in scopes],
        )
        return Shown(200, body, home=origin(asked["redirect_uri"]))

    def _back(self, asked: Mapping[str, str], said: Mapping[str, str]) -> Shown:
        more = {"state": asked["state"], **said}
        if "code" in said:
            more["scope"] = asked["scope"]
        parts = urlsplit(asked["redirect_uri"])
        query = "&".join(part for part in (parts.query, urlencode(more)) if part)
        return Shown(303, location=urlunsplit(parts._replace(query=query)), home=origin(asked["redirect_uri"]))

    def _sorry(self, sentence: str) -> Shown:
        return Shown(400, self._pages.get_template("sorry.html").render(sentence=sentence))

    def _wrong(self, asked: Mapping[str, str]) -> str:
        """Why nobody may be sent back: the app or its address is not known."""
        app = self._office.app(asked["client_id"])
        if app is None:
            return "No app of this name is registered here (invalid_client)."
        if asked["redirect_uri"] not in app.redirect_uris:
            return "The app has not registered the address that it wants to go back to (redirect_uri_mismatch)."
        return ""


def refused_by(query: Mapping[str, str], asked: Mapping[str, str], known: Mapping[str, str]) -> str:
    """OAuth's reason against a request; empty where there is none."""
    if query.get("response_type") != "code":
        return "unsupported_response_type"
    if not asked["code_challenge"] or query.get("code_challenge_method") != "S256":
        return "invalid_request"
    scopes = asked["scope"].split()
    return "" if scopes and all(is_identity(scope) or scope in known for scope in scopes) else "invalid_scope"


def is_identity(scope: str) -> bool:
    """Whether a scope only says who somebody is; such are not asked about one by one."""
    return scope in ALWAYS or scope.startswith(USERINFO)


def origin(uri: str) -> str:
    """Scheme, host and port."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}"


def last(form: Fields, name: str) -> str:
    """A field's last value."""
    values = form.get(name) or [""]
    return values[-1]

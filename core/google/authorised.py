"""The way to Google as somebody: every request carries a token that is valid now."""

from collections.abc import Callable
from typing import Any

from google.auth.credentials import Credentials
from google_auth_httplib2 import AuthorizedHttp

from core.google.signins import SignIns
from core.google.transport import HttpLike, SafeHttp


class AccountCredentials(Credentials):
    """google-auth's credentials over the sign-ins of the process.

    Args:
        signins: where the tokens are.
        user_id: whose connection it is.
        email: the Google account.
    """

    def __init__(self, signins: SignIns, user_id: str, email: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._signins, self._user_id, self._email = signins, user_id, email

    def before_request(self, request: Any, method: str, url: str, headers: dict[str, str]) -> None:
        """Put the token on a request.

        Raises:
            As `SignIns.token`.
        """
        self.token = self._signins.token(self._user_id, self._email)
        headers["authorization"] = f"Bearer {self.token}"

    def refresh(self, request: Any) -> None:
        """Get another token, because Google refused the last one; it refuses before it does anything."""
        self.token = self._signins.renewed(self._user_id, self._email, self.token or "")


def authorised(signins: SignIns, line: Callable[[], HttpLike]) -> Callable[[str, str], HttpLike]:
    """Opens the way to Google for a user's account.

    Args:
        line: opens an HTTP object that knows nobody.
    """

    def open_way(user_id: str, account: str) -> HttpLike:
        http: HttpLike = AuthorizedHttp(AccountCredentials(signins, user_id, account), line(), max_refresh_attempts=1)
        return http

    return open_way


def google_line() -> HttpLike:
    """A connection to the real Google that knows nobody."""
    http = SafeHttp()
    http.redirect_codes = http.redirect_codes - {308}  # Google's answer in the middle of an upload is no redirect
    line: HttpLike = http
    return line

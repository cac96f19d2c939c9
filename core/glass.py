"""How the app is tied to its telemetry: what is recorded and sent on, and the numbers that come back to the runtime."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import StorageError
from core.runtime.budgets import Spent
from core.settings import Settings, SettingsError
from core.users import User
from telemetry.contract import finished_turn
from telemetry.costs import Costs
from telemetry.errors import TelemetryError
from telemetry.otlp_out import Destination, headers_of
from telemetry.queries import Glass
from telemetry.retention import Limits
from telemetry.setup import Telemetry, install, receive_sdk_spans
from telemetry.webhook import Webhook


def open_telemetry(settings: Settings) -> Telemetry:
    """Open the telemetry store and listen to spans, but for those of the Agents SDK: `listen_to_agents`.

    Raises:
        StorageError: it cannot be opened.
    """
    try:
        telemetry = install(
            settings.telemetry_url,
            capture=settings.capture.value,
            secrets=secrets_of(settings),
            folder=settings.data_dir,
            sdk=False,
        )
    except TelemetryError as error:
        raise StorageError(str(error)) from error
    telemetry.forward(collector_of(settings))
    hook = settings.alert_webhook.get_secret_value()
    telemetry.keep(Limits(settings.keep_days, settings.keep_megabytes), Webhook(hook) if hook else None)
    return telemetry


def listen_to_agents(telemetry: Telemetry, count_tokens: Callable[[str], int]) -> None:
    """Listen to the Agents SDK, too, before anything runs on it.

    Args:
        count_tokens: of a text, for a typical model.
    """
    telemetry.count_tokens = count_tokens
    receive_sdk_spans(telemetry)


def collector_of(settings: Settings) -> Destination | None:
    """The collector that gets the spans, if there is one.

    Raises:
        SettingsError: its headers are not as they should be.
    """
    if settings.otlp_endpoint is None:
        return None
    try:
        headers = headers_of(settings.otlp_headers.get_secret_value())
    except TelemetryError as error:
        raise SettingsError(f"The setting GLASSDESK_OTLP_HEADERS is wrong: {error}. Correct it.") from error
    return Destination(str(settings.otlp_endpoint), headers, settings.otlp_content, settings.otlp_openinference)


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """The values that must not be stored anywhere."""
    headers = settings.otlp_headers.get_secret_value()
    named = ("model_api_key", "embeddings_api_key", "api_token", "google_client_secret", "vault_key", "alert_webhook")
    values = [getattr(settings, name).get_secret_value() for name in named]
    values += [part.partition("=")[2] for part in headers.split(",")]
    return tuple(value for value in (*values, *settings.database_passwords) if value)


def spent_of(telemetry: Telemetry) -> Spent:
    """How the runtime knows what a user has spent."""
    costs = Costs(telemetry.store)

    def spent(user_id: str, start: datetime, end: datetime) -> tuple[int, int]:
        return costs.of_period(user_id, *(int(moment.timestamp()) * 10**9 for moment in (start, end)))

    return spent


@dataclass(frozen=True)
class TurnNumbers:
    """How the runtime gets the numbers of a turn that ended.

    Attributes:
        alone: whether all spans come from this process, so that a turn's are known before they are stored.
    """

    telemetry: Telemetry
    glass: Glass
    alone: bool

    def at_once(self, user: User, turn_id: str) -> dict[str, Any] | None:
        """The numbers of a turn that has just ended; None where one has to wait for them."""
        known = self.telemetry.reckoned(turn_id) if self.alone else None
        if known is None or known.turn.user_id != user.id:
            return None
        return finished_turn(known.turn, known.llm_calls, known.tool_calls)

    def stored(self, user: User, turn_id: str) -> dict[str, Any]:
        """The numbers of a turn, once they are stored; blocks.

        Raises:
            TelemetryError: they are not there in time.
        """
        turn = self.telemetry.account(turn_id)
        return finished_turn(turn, self.glass.llm_calls(user.id, turn_id), self.glass.tool_calls(user.id, turn_id))

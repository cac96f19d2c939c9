"""What a model call costs, exactly, in 10⁻¹² USD; what is not known stays unknown, with the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml
from genai_prices import Usage, calc_price
from pydantic import BaseModel, ConfigDict, Field, field_validator

PICO_PER_USD = 10**12
BUILT_IN = "glassdesk"
OVERRIDES = Path(__file__).resolve().parent.parent / "data" / "prices.yaml"
EVER = datetime.min.replace(tzinfo=UTC)
NO_USAGE = "The provider reported no usage."


class Source(StrEnum):
    """Where a price comes from."""

    OVERRIDE = "override"
    PROVIDER = "provider"
    LIST = "genai-prices"
    FREE = "free"
    BUILT_IN = "built-in"


@dataclass(frozen=True)
class Price:
    """The cost of one call in 10⁻¹² USD; None with the reason, a sentence, if it is not known."""

    pico_usd: int | None
    reason: str | None = None
    source: Source | None = None


class Override(BaseModel):
    """A user's own price of a model, in USD per million tokens; `cached_input` is `input` unless given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(description="Name as the provider knows it; case does not matter")
    provider: str | None = Field(default=None, description="Only this provider; by default any")
    input: Decimal = Field(ge=0)
    cached_input: Decimal | None = Field(default=None, ge=0)
    output: Decimal = Field(ge=0)
    since: datetime | None = Field(default=None, description="Only of calls from then on; a day begins in UTC")

    @field_validator("since", mode="before")
    @classmethod
    def aware(cls, value: Any) -> Any:
        """A day, or a moment without a zone, is one of UTC."""
        if isinstance(value, date) and not isinstance(value, datetime):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value

    def fits(self, model: str, provider: str | None, at: datetime) -> bool:
        """Whether it is about a call of this model at a moment, aware."""
        if self.since is not None and at < self.since:
            return False
        return self.model.lower() == model.lower() and self.provider in (None, (provider or "").lower())

    def cost(self, input_tokens: int, cached: int, output_tokens: int) -> Decimal:
        """USD of a call; `cached` is a part of `input_tokens`."""
        cached_price = self.input if self.cached_input is None else self.cached_input
        total = (input_tokens - cached) * self.input + cached * cached_price + output_tokens * self.output
        return total / 1_000_000


class Prices(BaseModel):
    """The file of overrides."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prices: tuple[Override, ...] = ()


@cache
def load_overrides(path: Path = OVERRIDES) -> tuple[Override, ...]:
    """Read the overrides, once per process; no file means none.

    Raises:
        pydantic.ValidationError: names the entry and the field that is wrong.
    """
    if not path.exists():
        return ()
    return Prices.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {}).prices


def price(
    model: str | None,
    provider: str | None,
    input_tokens: int | None,
    cached_input_tokens: int | None,
    output_tokens: int | None,
    at: datetime,
    *,
    cache_write_tokens: int | None = None,
    reported_usd: object = None,
    own: Sequence[Override] = (),
    overrides: Sequence[Override] | None = None,
) -> Price:
    """The cost of one model call.

    An override wins; then the provider's own figure; then genai-prices as of `at`.

    Args:
        model, provider: As in the span; without a provider the model's name decides.
        input_tokens: All of them, cached ones included; None if not reported. `output_tokens` likewise.
        at: When the call was made, aware.
        reported_usd: The provider's own cost, a number or its text, where the response carries one.
        own: What was set on the page; comes before `overrides`.
        overrides: By default those of `data/prices.yaml`.
    """
    if provider == BUILT_IN:
        return Price(0, source=Source.BUILT_IN)
    cached = cached_input_tokens or 0
    problem = problem_with(model, input_tokens, cached, output_tokens)
    known = (*own, *(load_overrides() if overrides is None else overrides))
    chosen = None if problem else override_for(model or "", provider, known, at)
    if chosen:
        return exact(chosen.cost(input_tokens or 0, cached, output_tokens or 0), Source.OVERRIDE)
    reported = as_money(reported_usd)
    if reported is not None:
        return exact(reported, Source.PROVIDER)
    if problem or model is None:
        return Price(None, problem)
    if model.lower().endswith(":free"):
        return Price(0, source=Source.FREE)
    usage = Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cache_read_tokens=cached or None,
        cache_write_tokens=cache_write_tokens or None,
    )
    return listed(model, provider, usage, at)


def problem_with(model: str | None, input_tokens: int | None, cached: int, output_tokens: int | None) -> str | None:
    """Why a call cannot be priced from its tokens, if so."""
    if input_tokens is None or output_tokens is None:
        return NO_USAGE
    if min(input_tokens, cached, output_tokens) < 0:
        return "The provider reported negative token counts."
    if cached > input_tokens:
        return f"The provider reported more cached input tokens ({cached:,}) than input tokens ({input_tokens:,})."
    return None if model else "The model is not named."


def override_for(model: str, provider: str | None, overrides: Sequence[Override], at: datetime) -> Override | None:
    """The override about a model's call at a moment, aware.

    One that names the provider comes before one that does not, then the latest to begin, then the first.
    """
    fitting = [override for override in overrides if override.fits(model, provider, at)]
    return max(fitting, key=lambda one: (one.provider is not None, one.since or EVER), default=None)


def listed(model: str, provider: str | None, usage: Usage, at: datetime) -> Price:
    """The price that genai-prices lists; names such as `vendor/model` are OpenRouter's."""
    where = provider or ("openrouter" if "/" in model else None)
    if not is_listed(model, where):
        return Price(None, f"No price is known for {model}{f' at {provider}' if provider else ''}.")
    try:
        cost = calc_price(usage, model, provider_id=where, genai_request_timestamp=at).total_price
    except ValueError as error:
        return Price(None, f"The price of {model} cannot be computed: {error}")
    return exact(cost, Source.LIST)


@lru_cache(maxsize=1_000)
def is_listed(model: str, where: str | None) -> bool:
    """Whether genai-prices knows a model of a provider; asked once, since it looks through all of them for one that it
    does not know.
    """
    try:
        calc_price(Usage(input_tokens=0, output_tokens=0), model, provider_id=where)
    except LookupError:
        return False
    except ValueError:
        return True
    return True


def as_money(value: object) -> Decimal | None:
    """A reported cost as a number; None unless it is one that makes sense."""
    if value is None or isinstance(value, bool):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount >= 0 else None


def exact(usd: Decimal, source: Source) -> Price:
    """An amount as a price."""
    return Price(in_pico(usd), source=source)


def pico_usd(value: object) -> int | None:
    """A reported amount of USD in 10⁻¹² USD; None unless it is one that makes sense."""
    amount = as_money(value)
    return None if amount is None else in_pico(amount)


def in_pico(usd: Decimal) -> int:
    """10⁻¹² USD, rounded half to even where the amount is finer than that."""
    return int((usd * PICO_PER_USD).to_integral_value(ROUND_HALF_EVEN))

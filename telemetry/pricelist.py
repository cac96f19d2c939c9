"""The prices in use, as a person reads them: per million tokens, with where they come from and of when they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from genai_prices import Usage, __version__, calc_price
from genai_prices.data_snapshot import get_snapshot

from telemetry.pricing import BUILT_IN, Override, override_for

VERSION = __version__
"""Of the list of genai-prices."""


@dataclass(frozen=True)
class PriceRow:
    """One model's price in USD per million tokens; None: not known, or not applicable.

    Attributes:
        source: own price, genai-prices, free, built-in, or unknown.
        stepped: Whether long requests cost more; what is given is the price of short ones.
        page: Where the provider publishes its prices.
        since: From when on it holds, aware; None: always, or not known.
    """

    model: str
    provider: str | None
    source: str
    input: Decimal | None = None
    cached_input: Decimal | None = None
    output: Decimal | None = None
    stepped: bool = False
    page: str | None = None
    since: datetime | None = None


def price_rows(
    models: Iterable[tuple[str | None, str | None]], at: datetime, overrides: Sequence[Override]
) -> list[PriceRow]:
    """The prices of (provider, model) pairs as of a moment, aware; a model without a name is left out."""
    named = sorted(
        {(provider, model) for provider, model in models if model}, key=lambda pair: (pair[1], pair[0] or "")
    )
    return [price_row(model or "", provider, at, overrides) for provider, model in named]


def price_row(model: str, provider: str | None, at: datetime, overrides: Sequence[Override]) -> PriceRow:
    """The price of one model, found as `pricing.price` finds it."""
    free = Decimal(0)
    if provider == BUILT_IN:
        return PriceRow(model, provider, "built-in", free, free, free)
    own = override_for(model, provider, overrides, at)
    if own is not None:
        cached = own.input if own.cached_input is None else own.cached_input
        return PriceRow(model, provider, "own price", own.input, cached, own.output, since=own.since)
    if model.lower().endswith(":free"):
        return PriceRow(model, provider, "free", free, free, free)
    return listed_row(model, provider, at)


def listed_row(model: str, provider: str | None, at: datetime) -> PriceRow:
    """What genai-prices says."""
    where = provider or ("openrouter" if "/" in model else None)
    try:
        found = calc_price(Usage(input_tokens=1, output_tokens=1), model, provider_id=where, genai_request_timestamp=at)
    except (LookupError, ValueError):
        return PriceRow(model, provider, "unknown")
    prices = found.model_price
    cost = [base(part) for part in (prices.input_mtok, prices.cache_read_mtok, prices.output_mtok)]
    stepped = any(hasattr(part, "tiers") for part in (prices.input_mtok, prices.output_mtok))
    page = next(iter(found.provider.pricing_urls or ()), None)
    return PriceRow(model, provider, "genai-prices", cost[0], cost[1], cost[2], stepped, page)


def base(price: Any) -> Decimal | None:
    """A price, or the one of the first step."""
    return None if price is None else Decimal(getattr(price, "base", price))


@cache
def list_reaches() -> date | None:
    """The latest date on which a price of the list begins; the list is at least as new."""
    found: list[date] = []
    for provider in get_snapshot().providers:
        for model in provider.models:
            prices = model.prices if isinstance(model.prices, list) else []
            for priced in (*prices, *(model.price_variants or ())):
                start = getattr(getattr(priced, "constraint", None), "start_date", None)
                if start is not None:
                    found.append(start)
    return max(found, default=None)

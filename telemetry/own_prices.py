"""The prices of models that administrators set on the page: kept in the database, so that every process has them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from pydantic import ValidationError
from sqlalchemy import BigInteger, Column, Connection, delete, select
from sqlmodel import Field

from telemetry.errors import TelemetryError
from telemetry.formats import SECOND
from telemetry.pricing import Override
from telemetry.store import Store
from telemetry.tables import Table
from telemetry.upsert import table_of, upsert

DEAREST: Final = Decimal(1_000_000)
"""USD per million tokens; more is a slip of the keyboard."""
FINEST: Final = Decimal("0.000001")
"""USD per million tokens: a trillionth of a dollar a token, which is what the database counts in."""


class OwnPrice(Table, table=True):
    """A price of a model from a moment on; USD per million tokens as decimal text."""

    __tablename__ = "own_price"

    model: str = Field(primary_key=True)
    provider: str = Field(primary_key=True, description="Empty: any")
    since_ns: int = Field(
        sa_column=Column(BigInteger, primary_key=True, autoincrement=False),
        description="Unix nanoseconds; 0: whenever a call was made",
    )
    input: str
    cached_input: str | None = Field(default=None, description="NULL: as input")
    output: str
    set_ns: int = Field(sa_column=Column(BigInteger, nullable=False), description="When it was set")


PRICE = table_of(OwnPrice)
ALL = select(PRICE).order_by(PRICE.c.model, PRICE.c.provider, PRICE.c.since_ns)


def own_prices(connection: Connection) -> tuple[Override, ...]:
    """All of them, by model."""
    return tuple(override_of(OwnPrice(**row)) for row in connection.execute(ALL).mappings())


def override_of(row: OwnPrice) -> Override:
    """A row as pricing takes it."""
    return Override(
        model=row.model,
        provider=row.provider or None,
        input=Decimal(row.input),
        cached_input=None if row.cached_input is None else Decimal(row.cached_input),
        output=Decimal(row.output),
        since=datetime.fromtimestamp(row.since_ns / SECOND, UTC) if row.since_ns else None,
    )


class OwnPrices:
    """What is set, and setting it. Who may is decided by the caller."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def rows(self) -> list[OwnPrice]:
        """All of them, by model."""
        with self._store.reader() as session:
            return [OwnPrice(**row) for row in session.connection().execute(ALL).mappings()]

    def put(
        self,
        model: str,
        provider: str,
        prices: Sequence[Decimal | None],
        since: datetime | None,
        now: datetime,
    ) -> None:
        """Set a price; one of the same model, provider and beginning is replaced.

        Args:
            prices: of input, cached input and output, USD per million tokens; without that of cached input, it is
                that of input.
            since: aware; None: of all calls, whenever they were made.
            now: aware.

        Raises:
            TelemetryError: it is no price, with a sentence.
        """
        price = checked(model, provider, prices, since)
        row = {
            "model": price.model,
            "provider": price.provider or "",
            "since_ns": int(since.timestamp()) * SECOND if since else 0,
            "input": f"{price.input.normalize():f}",
            "cached_input": None if price.cached_input is None else f"{price.cached_input.normalize():f}",
            "output": f"{price.output.normalize():f}",
            "set_ns": int(now.timestamp()) * SECOND,
        }
        with self._store.write() as connection:
            upsert(connection, OwnPrice, [row])

    def remove(self, model: str, provider: str, since_ns: int) -> None:
        """Forget one; nothing happens where there is none."""
        key = (PRICE.c.model == model, PRICE.c.provider == provider, PRICE.c.since_ns == since_ns)
        with self._store.write() as connection:
            connection.execute(delete(PRICE).where(*key))


def checked(model: str, provider: str, prices: Sequence[Decimal | None], since: datetime | None) -> Override:
    """A price as it can be kept; names in lower case, because their case tells nothing.

    Raises:
        TelemetryError: what is wrong, and what to do.
    """
    if not model.strip():
        raise TelemetryError("Say which model the price is of, as its provider names it.")
    given, cached, made = prices
    for name, value in (("input", given), ("output", made)):
        if value is None:
            raise TelemetryError(f"Say what a million tokens of {name} cost; 0 if they are free.")
    for value in prices:
        if value is not None and (not value.is_finite() or not 0 <= value <= DEAREST or value % FINEST):
            raise TelemetryError(
                "A price is a number of US dollars per million tokens from 0 to 1,000,000, with at most six decimals."
            )
    if cached is not None and given is not None and cached > given:
        raise TelemetryError("Cached input costs more than input: the two may have changed places. Check them.")
    try:
        return Override.model_validate(
            {
                "model": model.strip().lower(),
                "provider": provider.strip().lower() or None,
                **dict(zip(("input", "cached_input", "output"), prices, strict=True)),
                "since": since,
            }
        )
    except ValidationError as error:
        raise TelemetryError(f"{error.errors()[0]['msg']}. Correct it, then set the price again.") from error

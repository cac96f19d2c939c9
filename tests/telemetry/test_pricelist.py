from datetime import UTC, datetime
from decimal import Decimal

from telemetry.pricelist import PriceRow, list_reaches, price_rows
from telemetry.pricing import Override

AT = datetime(2026, 11, 30, tzinfo=UTC)


def test_each_model_has_its_price_and_where_it_comes_from() -> None:
    own = Override(model="qwen3-8b", input=Decimal("0.1"), output=Decimal("0.2"))
    models = [
        ("openai", "gpt-4o-mini"),
        ("llama.cpp", "Qwen3-8B"),
        ("openrouter", "some/model:free"),
        ("glassdesk", "built-in"),
        (None, "nobody/knows"),
        ("openai", None),
        ("openai", "gpt-4o-mini"),
    ]
    found = {row.model: row for row in price_rows(models, AT, [own])}
    assert len(found) == 5
    listed = found["gpt-4o-mini"]
    assert (listed.source, listed.input, listed.cached_input, listed.output, listed.stepped) == (
        "genai-prices",
        Decimal("0.15"),
        Decimal("0.075"),
        Decimal("0.6"),
        False,
    )
    assert listed.page is not None and listed.page.startswith("https://")
    assert found["Qwen3-8B"].cached_input == Decimal("0.1") and found["Qwen3-8B"].source == "own price"
    assert (found["some/model:free"].source, found["some/model:free"].output) == ("free", 0)
    assert (found["built-in"].source, found["built-in"].input) == ("built-in", 0)
    assert found["nobody/knows"] == PriceRow("nobody/knows", None, "unknown")


def test_a_price_with_steps_says_so() -> None:
    [row] = price_rows([("google", "gemini-2.5-pro")], AT, [])
    assert (row.stepped, row.input) == (True, Decimal("1.25"))


def test_the_list_says_how_new_it_is() -> None:
    reaches = list_reaches()
    assert reaches is not None and reaches.year >= 2025

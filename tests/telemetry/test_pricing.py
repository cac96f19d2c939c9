from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

from telemetry.pricing import OVERRIDES, Override, Price, Source, load_overrides, price

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def cost(
    model: str | None, provider: str | None = None, usage: tuple[int | None, ...] = (1200, 1000, 80), **more: object
) -> Price:
    return price(model, provider, *usage, NOW, **{"overrides": (), **more})  # type: ignore[arg-type]


def test_cached_tokens_are_a_part_of_the_input_and_not_added_on_top() -> None:
    assert cost("gpt-4o-mini", "openai") == Price(153_000_000, source=Source.LIST)


@pytest.mark.parametrize("usage", [(None, None, 80), (1200, None, None), (None, None, None)])
def test_a_call_without_usage_is_unpriced(usage: tuple[int | None, ...]) -> None:
    assert cost("gpt-4o-mini", "openai", usage) == Price(None, "The provider reported no usage.")


@pytest.mark.parametrize("provider", [None, "openrouter"])
def test_dated_and_upper_case_names_are_priced_free_ones_are_free_and_unknown_ones_unpriced(
    provider: str | None,
) -> None:
    assert cost("openai/gpt-5.2-20251211", provider) == cost("openai/gpt-5.2", provider)
    assert (cost("openai/gpt-5.2", provider).pico_usd or 0) > 0
    assert cost("OPENAI/GPT-4O-MINI", provider).pico_usd == 153_000_000
    assert cost("nobody/nothing:free", provider) == Price(0, source=Source.FREE)
    unknown = cost("nobody/nothing-9", provider)
    assert unknown.pico_usd is None
    assert "nobody/nothing-9" in (unknown.reason or "")


def test_nonsense_usage_is_unpriced_with_the_reason() -> None:
    assert "more cached input tokens (1,000) than input" in (cost("gpt-4o-mini", "openai", (10, 1000, 5)).reason or "")
    assert "negative" in (cost("gpt-4o-mini", "openai", (-1, 0, 5)).reason or "")
    assert cost(None, "openai") == Price(None, "The model is not named.")


def test_the_built_in_assistant_costs_nothing() -> None:
    assert cost("offline", "glassdesk", (None, None, None)) == Price(0, source=Source.BUILT_IN)


@pytest.mark.parametrize("provider", ["ollama", "llama.cpp", "127.0.0.1"])
def test_a_model_on_the_own_machine_costs_nothing_only_if_an_override_says_so(provider: str) -> None:
    unpriced = cost("qwen3-8b", provider)
    assert unpriced == Price(None, f"No price is known for qwen3-8b at {provider}.")
    free = Override(model="Qwen3-8B", input=Decimal(0), output=Decimal(0))
    assert cost("qwen3-8b", provider, overrides=[free]) == Price(0, source=Source.OVERRIDE)


def test_an_override_wins_over_the_providers_figure_which_wins_over_the_list() -> None:
    assert cost("gpt-4o-mini", "openrouter", reported_usd="0.00042") == Price(420_000_000, source=Source.PROVIDER)
    override = Override(model="gpt-4o-mini", input=Decimal(1), cached_input=Decimal("0.5"), output=Decimal(2))
    exact = Price(200 * 10**6 + 1000 * 500_000 + 80 * 2 * 10**6, source=Source.OVERRIDE)
    assert cost("gpt-4o-mini", "openrouter", reported_usd=0.1, overrides=[override]) == exact


def test_the_override_that_names_the_provider_comes_first() -> None:
    general = Override(model="m", input=Decimal(1), output=Decimal(1))
    special = Override(model="m", provider="here", input=Decimal(3), output=Decimal(3))
    for overrides in ([general, special], [special, general]):
        assert cost("m", "here", (1, 0, 0), overrides=overrides).pico_usd == 3_000_000
        assert cost("m", "there", (1, 0, 0), overrides=overrides).pico_usd == 1_000_000


@pytest.mark.parametrize("reported", ["nan", "-1", "Infinity", "free", True, object()])
def test_a_reported_cost_that_is_no_amount_is_ignored(reported: object) -> None:
    assert cost("gpt-4o-mini", "openai", reported_usd=reported).source is Source.LIST


def test_a_reported_cost_counts_even_without_usage() -> None:
    assert cost("some-model", "openrouter", (None, None, None), reported_usd=0.000001).pico_usd == 1_000_000


def test_the_file_of_overrides_is_read_and_a_wrong_entry_is_named(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("prices:\n  - {model: qwen, input: 0.1, output: 0.2}\n")
    assert load_overrides(file) == (Override(model="qwen", input=Decimal("0.1"), output=Decimal("0.2")),)
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("prices:\n  - {model: qwen, input: -1, output: 0.2}\n")
    with pytest.raises(ValidationError, match=r"prices\.0\.input"):
        load_overrides(wrong)
    assert load_overrides(tmp_path / "missing.yaml") == ()
    assert isinstance(load_overrides(OVERRIDES), tuple)

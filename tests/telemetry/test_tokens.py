from telemetry.tokens import SAMPLE, given, tokens_of


def four(text: str) -> int:
    """A tokenizer of words of four characters."""
    return len(text) // 4


def test_a_short_text_is_counted_and_a_long_one_told_from_pieces_all_along_it() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return four(text)

    assert tokens_of("x" * SAMPLE, count) == SAMPLE // 4
    text = "a" * 50_000 + "b" * 50_000
    assert tokens_of(text, count) == 25_000
    assert counted[-1] == "a" * (SAMPLE // 2) + "b" * (SAMPLE // 2)
    assert tokens_of("", count) == 0


def test_what_the_model_was_given_is_the_text_of_a_part() -> None:
    assert given({"type": "text", "text": 'He said "Grüße"'}) == 'He said "Grüße"'
    assert given("plain") == "plain"
    assert given([{"type": "text", "text": "é"}]) == '[{"type":"text","text":"é"}]'

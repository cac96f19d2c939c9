"""A question as a person types it, before anything is done about it."""

from core.errors import BadInput

MAX_MESSAGE = 32_000
"""Characters of a question; about 8,000 tokens."""


def checked(message: str) -> str:
    """A question as it will be asked.

    Raises:
        BadInput: it is empty or too long.
    """
    question = message.strip()
    if not question:
        raise BadInput("There is nothing to answer yet. Type a question, for example: Show my unread emails.")
    if len(question) > MAX_MESSAGE:
        raise BadInput(
            f"That is {len(question):,} characters; a question may have {MAX_MESSAGE:,}. "
            "Shorten it, or ask about one part at a time."
        )
    return question

"""The base of every error that a person may see: each carries a sentence with a next step."""


class GlassdeskError(Exception):
    """Something went wrong that can be said in a sentence.

    Args:
        sentence: What happened and what to do next, for a person. Never holds a secret.
    """

    code = "error"
    http_status = 500

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class BadInput(GlassdeskError):
    """The request itself cannot be served as it is."""

    code = "bad_input"
    http_status = 400


class NotAllowed(GlassdeskError):
    """Somebody who may not come in, or may not do this."""

    code = "refused"
    http_status = 403


class NotFound(GlassdeskError):
    """There is no such thing, or it belongs to somebody else."""

    code = "not_found"
    http_status = 404


class Busy(GlassdeskError):
    """The conversation has a turn running."""

    code = "busy"
    http_status = 409


class Unavailable(GlassdeskError):
    """The app is starting or stopping."""

    code = "unavailable"
    http_status = 503


class ModelError(GlassdeskError):
    """The language model could not answer."""

    code = "model_error"
    http_status = 502


class StorageError(GlassdeskError):
    """The disk or a database refused a write."""

    code = "storage_error"
    http_status = 507

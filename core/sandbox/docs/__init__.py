"""Docs v1 of the sandbox: its routes, what Drive asks of it, and its seed."""

from core.sandbox.docs.documents import ROUTES
from core.sandbox.docs.native import NATIVE
from core.sandbox.docs.seed import seed

__all__ = ["NATIVE", "ROUTES", "seed"]

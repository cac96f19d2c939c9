"""Slides v1 of the sandbox: its routes, what Drive asks of it, and its seed."""

from core.sandbox.slides.native import NATIVE
from core.sandbox.slides.presentations import ROUTES
from core.sandbox.slides.seed import seed

__all__ = ["NATIVE", "ROUTES", "seed"]

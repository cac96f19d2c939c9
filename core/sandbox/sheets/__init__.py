"""Sheets v4 of the sandbox: its routes, what Drive asks of it, and its seed."""

from core.sandbox.sheets import spreadsheets, values
from core.sandbox.sheets.native import NATIVE
from core.sandbox.sheets.seed import seed

ROUTES = (*values.ROUTES, *spreadsheets.ROUTES)

__all__ = ["NATIVE", "ROUTES", "seed"]

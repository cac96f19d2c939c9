"""The stage of the pages of numbers: services over a real database of telemetry, and what a person reads."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.google.standing import Account
from core.settings import Settings
from core.store.people import People
from core.store.stores import open_stores
from core.users import SANDBOX_ACCOUNT, rules_of
from telemetry.alerts import Alerts
from telemetry.queries import Glass
from telemetry.redaction import Redactor
from telemetry.store import Store

MAIN = Path(__file__).resolve().parents[2] / "pages" / "main.py"
ACCOUNT = Account(SANDBOX_ACCOUNT, "connected", "", True, (), ("gmail",), datetime(2026, 3, 2, tzinfo=UTC), False)


def services_of(store: Store, folder: Path, **more: Any) -> SimpleNamespace:
    """What every page needs: an account that is well, nothing that runs, no alert that rings; and `more`.

    The user is in Shanghai, which has another day than UTC for a third of it.
    """
    settings = Settings(data_dir=folder, zone="Asia/Shanghai", allowed="lumenworks.example", _env_file=None)
    stores = open_stores(settings.app_url, settings.uploads, datetime.now(UTC))
    made = {
        "settings": settings,
        "stores": stores,
        "people": People(stores.database, rules_of(settings)),
        "telemetry": SimpleNamespace(store=store, alerts=Alerts(store), redactor=Redactor()),
        "glass": Glass(store),
        "conversations": stores.conversations,
        "approvals": stores.approvals,
        "accounts": SimpleNamespace(list=lambda user: [ACCOUNT]),
        "runtime": SimpleNamespace(running=lambda *_: None, live=lambda *_: None),
    }
    return SimpleNamespace(**made | more)


def page_of(services: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, name: str) -> AppTest:
    """A page over these services, not yet opened."""
    host = SimpleNamespace(ready=lambda: services, wait=lambda: services)
    monkeypatch.setattr("pages.components.page.host", lambda: host)
    return AppTest.from_file(MAIN, default_timeout=30).switch_page(name)


def opened(app: AppTest, **query: str) -> AppTest:
    """The page, opened at an address."""
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def read(text: str) -> str:
    """A text as people read it: without escapes, and without what keeps words together."""
    return text.replace("\\", "").replace("\u2060", "")


def texts(app: AppTest) -> str:
    """All that the page says."""
    shown = (*app.markdown, *app.caption, *app.subheader, *app.error, *app.warning, *app.success)
    return read("\n".join(str(element.value) for element in shown))


def numbers(app: AppTest) -> dict[str, str]:
    """The numbers of the page by their labels."""
    return {metric.label: read(metric.value) for metric in app.metric}

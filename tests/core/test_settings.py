import pytest

from core.settings import Settings, SettingsError, load_settings


@pytest.fixture(autouse=True)
def no_env_file(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("GLASSDESK_ZONE", "Mars/Olympus", "IANA zone such as Europe/Berlin"),
        ("GLASSDESK_MODEL_BASE_URL", "not a url", "valid URL"),
        ("GLASSDESK_PORT", "99999", "less than or equal to 65535"),
        ("GLASSDESK_MCP", "carrier-pigeon", "'in-process' or 'stdio'"),
        ("GLASSDESK_CAPTURE", "some", "'off', 'metadata' or 'full'"),
        ("GLASSDESK_MAX_TURNS", "0", "greater than or equal to 1"),
        ("GLASSDESK_MODEL_TIMEOUT", "soon", "valid number"),
        ("GLASSDESK_CACHE_ENTRIES", "-1", "greater than or equal to 0"),
        ("GLASSDESK_CACHE_SECONDS", "0.0", "greater than 0"),
        ("GLASSDESK_APP_DB", "mysql://sam:hunter2@db/glassdesk", "postgresql://"),
        ("GLASSDESK_APP_DB", "data/app.db", "sqlite:///"),
        ("GLASSDESK_TELEMETRY_DB", "postgresql://", "postgresql://"),
    ],
)
def test_a_wrong_value_names_the_setting_and_what_it_accepts(monkeypatch, name, value, accepted):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert name in caught.value.sentence
    assert accepted in caught.value.sentence
    assert value not in caught.value.sentence or value == "postgresql://"


@pytest.mark.sqlite
@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_takes_the_place_of_the_files_by_its_url(monkeypatch, scheme):
    monkeypatch.setenv("GLASSDESK_TELEMETRY_DB", f"{scheme}://sam:hunter%402@db.example/glassdesk")
    settings = load_settings()
    assert settings.telemetry_url == "postgresql+psycopg://sam:hunter%402@db.example/glassdesk"
    assert settings.app_url == f"sqlite:///{settings.data_dir / 'app.db'}"
    assert "hunter" not in f"{settings!r} {settings.model_dump()}"
    assert set(settings.database_passwords) == {"hunter%402", "hunter@2"}


def test_two_wrong_values_are_both_named(monkeypatch):
    monkeypatch.setenv("GLASSDESK_PORT", "x")
    monkeypatch.setenv("GLASSDESK_MCP", "x")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "GLASSDESK_PORT" in caught.value.sentence
    assert "GLASSDESK_MCP" in caught.value.sentence


def test_without_a_model_the_built_in_assistant_answers():
    assert Settings().offline
    assert not Settings(model="gpt-4o-mini").offline


def test_values_come_from_the_env_file(tmp_path):
    (tmp_path / ".env").write_text("GLASSDESK_MODEL=some-model\nGLASSDESK_ZONE=Asia/Tokyo\n")
    settings = load_settings()
    assert (settings.model, settings.zone) == ("some-model", "Asia/Tokyo")


def test_secrets_do_not_show_when_settings_are_printed(monkeypatch):
    monkeypatch.setenv("GLASSDESK_MODEL_API_KEY", "sk-planted")
    monkeypatch.setenv("GLASSDESK_API_TOKEN", "token-planted")
    shown = repr(load_settings())
    assert "planted" not in shown

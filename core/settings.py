"""Everything that can be set from outside, read once: environment variables `GLASSDESK_…` and `.env`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, AnyHttpUrl, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict
from tzlocal import get_localzone_name

from core.errors import GlassdeskError

ROOT = Path(__file__).resolve().parent.parent


class SettingsError(GlassdeskError):
    """A setting has a value that it does not accept."""

    code = "settings"


class McpTransport(StrEnum):
    """How the agents reach the tool server."""

    IN_PROCESS = "in-process"
    STDIO = "stdio"


class PlannerUse(StrEnum):
    """When a question for several specialists is answered by a plan."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Workspace(StrEnum):
    """Whose Workspace the tools work in."""

    AUTO = "auto"
    SANDBOX = "sandbox"
    GOOGLE = "google"


class Capture(StrEnum):
    """How much of messages, arguments and results goes into the telemetry store."""

    OFF = "off"
    METADATA = "metadata"
    FULL = "full"


def known_zone(name: str) -> str:
    """Check an IANA time-zone name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError("an IANA zone such as Europe/Berlin or UTC is needed") from error
    return name


def known_database(url: SecretStr) -> SecretStr:
    """Check a database's URL, and name the driver of PostgreSQL that is installed."""
    scheme, mark, rest = url.get_secret_value().partition("://")
    if scheme in ("", "sqlite") and bool(scheme) == bool(mark):
        return url
    if scheme in ("postgres", "postgresql", "postgresql+psycopg") and rest.strip("/"):
        return SecretStr(f"postgresql+psycopg://{rest}")
    raise ValueError("a URL such as postgresql://name:password@host/database or sqlite:////folder/file.db is needed")


def known_address(url: SecretStr) -> SecretStr:
    """Check an address that may hold a secret."""
    parts = urlsplit(url.get_secret_value())
    if url.get_secret_value() and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError("an address such as https://hooks.example/… is needed")
    return url


class Settings(BaseSettings):
    """The settings, frozen. Every field is described in README.md; a test holds that."""

    model_config = SettingsConfigDict(env_prefix="GLASSDESK_", env_file=".env", extra="ignore", frozen=True)

    model: Annotated[str, Field(description="Model name; empty: the built-in offline assistant")] = ""
    model_base_url: Annotated[AnyHttpUrl | None, Field(description="Any OpenAI-compatible endpoint")] = None
    model_api_key: Annotated[SecretStr, Field(description="Its key; local servers need none")] = SecretStr("")
    model_timeout: Annotated[float, Field(gt=0, le=600, description="Seconds to wait for the model")] = 120.0
    read_ahead: Annotated[bool, Field(description="Begin a plain read before the model is asked")] = True
    embeddings_model: Annotated[str, Field(description="Embeddings for routing; empty: the built-in ones")] = ""
    embeddings_base_url: Annotated[AnyHttpUrl | None, Field(description="Their OpenAI-compatible endpoint")] = None
    embeddings_api_key: Annotated[SecretStr, Field(description="Its key")] = SecretStr("")
    embeddings_confident: Annotated[float, Field(gt=0, le=1, description="Score that goes direct with them")] = 0.36
    embeddings_margin: Annotated[float, Field(ge=0, le=1, description="And its lead over any other")] = 0.07
    tools_shown: Annotated[
        int, Field(ge=0, le=100, description="Tools shown for a question beside the basic; 0: all")
    ] = 6
    max_turns: Annotated[int, Field(ge=1, le=50, description="Model calls an agent may make in one turn")] = 10
    planner: Annotated[PlannerUse, Field(description="Plan questions for several specialists: auto, on, off")] = (
        PlannerUse.AUTO
    )
    fan_out: Annotated[int, Field(ge=1, le=16, description="Steps of a plan that may run at the same time")] = 4
    data_dir: Annotated[Path, Field(description="Where the databases are kept")] = ROOT / "data"
    app_db: Annotated[SecretStr, AfterValidator(known_database), Field(description="Database of what people own")] = (
        SecretStr("")
    )
    telemetry_db: Annotated[SecretStr, AfterValidator(known_database), Field(description="Database of the spans")] = (
        SecretStr("")
    )
    port: Annotated[int, Field(ge=1, le=65535, description="Port of the app; `make run PORT=…` sets it")] = 8501
    zone: Annotated[str, AfterValidator(known_zone), Field(description="Time zone of the user")] = Field(
        default_factory=get_localzone_name
    )
    mcp: Annotated[McpTransport, Field(description="Tool server in the process, or as a subprocess")] = (
        McpTransport.IN_PROCESS
    )
    mcp_writes: Annotated[bool, Field(description="Offer writing tools at /mcp too, without approval cards")] = False
    mcp_commands: Annotated[str, Field(description="Commands that may be added as tool servers; empty: none")] = ""
    capture: Annotated[Capture, Field(description="Content kept in telemetry")] = Capture.FULL
    keep_days: Annotated[int, Field(ge=0, description="Days that single turns are kept in telemetry; 0: all")] = 90
    keep_megabytes: Annotated[int, Field(ge=0, description="Megabytes of telemetry at most; 0: any size")] = 20_000
    cache_entries: Annotated[int, Field(ge=0, le=100_000, description="Answers remembered; 0: none")] = 100
    cache_seconds: Annotated[float, Field(gt=0, le=86_400, description="How long an answer is remembered")] = 300.0
    otlp_endpoint: Annotated[AnyHttpUrl | None, Field(description="Collector that gets the spans")] = None
    otlp_headers: Annotated[SecretStr, Field(description="Headers for it: name=value,other=value")] = SecretStr("")
    otlp_content: Annotated[bool, Field(description="Messages, arguments and results go to it too")] = False
    otlp_openinference: Annotated[bool, Field(description="OpenInference's attributes for it")] = False
    alert_webhook: Annotated[SecretStr, AfterValidator(known_address), Field(description="Told of alerts")] = SecretStr(
        ""
    )
    api_token: Annotated[SecretStr, Field(description="With it, the API also serves callers elsewhere")] = SecretStr("")
    public_url: Annotated[AnyHttpUrl | None, Field(description="Where people open the app, if not on this machine")] = (
        None
    )
    allowed: Annotated[str, Field(description="Addresses and domains that may sign in")] = ""
    administrators: Annotated[str, Field(description="Addresses of the administrators")] = ""
    admins_read_content: Annotated[bool, Field(description="Administrators read others' questions and answers")] = False
    read_only: Annotated[bool, Field(description="No write runs, whatever anybody allows")] = False
    rate_limit: Annotated[int, Field(ge=0, description="API requests a minute of a token or person; 0: any")] = 1200

    workspace: Annotated[Workspace, Field(description="sandbox, google; auto: google where a client is set up")] = (
        Workspace.AUTO
    )
    google_client_id: Annotated[str, Field(description="The app's OAuth client at Google")] = ""
    google_client_secret: Annotated[SecretStr, Field(description="Its secret")] = SecretStr("")
    google_service_account: Annotated[str, Field(description="Key file of a service account that acts for users")] = ""
    vault_key: Annotated[SecretStr, Field(description="Seals Google sign-ins; empty: a file makes itself")] = SecretStr(
        ""
    )

    @property
    def base_url(self) -> str:
        """Scheme, host and port at which browsers reach this app."""
        return str(self.public_url or f"http://127.0.0.1:{self.port}").rstrip("/")

    @property
    def app_url(self) -> str:
        """URL of the app database; it may hold a password."""
        return self.app_db.get_secret_value() or f"sqlite:///{self.data_dir / 'app.db'}"

    @property
    def telemetry_url(self) -> str:
        """URL of the telemetry database; it may hold a password."""
        return self.telemetry_db.get_secret_value() or f"sqlite:///{self.data_dir / 'telemetry.db'}"

    @property
    def database_passwords(self) -> tuple[str, ...]:
        """The passwords in the databases' URLs, as they are and as they are written there."""
        written = (urlsplit(one.get_secret_value()).password for one in (self.app_db, self.telemetry_db))
        return tuple(form for password in written if password for form in {password, unquote(password)})

    @property
    def uploads(self) -> Path:
        """Folder of the files that came with questions."""
        return self.data_dir / "uploads"

    @property
    def downloads(self) -> Path:
        """Folder of the attachments that were saved from mails."""
        return self.data_dir / "attachments"

    @property
    def sandbox_db(self) -> Path:
        """File of the sandbox world."""
        return self.data_dir / "sandbox.db"

    @property
    def offline(self) -> bool:
        """Whether the built-in assistant answers instead of a language model."""
        return not self.model

    @property
    def plans(self) -> bool:
        """Whether plans are made."""
        return self.planner is not PlannerUse.OFF


def load_settings() -> Settings:
    """Read the settings.

    Raises:
        SettingsError: names each wrong setting and what it accepts; never its value.
    """
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError("\n".join(sentence(problem) for problem in error.errors())) from error


def sentence(problem: "object") -> str:
    """One Pydantic problem as a sentence about one setting."""
    assert isinstance(problem, dict)
    name = "GLASSDESK_" + "_".join(str(part) for part in problem["loc"][:1]).upper()
    return f"The setting {name} is wrong: {problem['msg']}. Correct it in the environment or in .env, then start again."

"""The tables of alerts: rules with what they say now, and what they said before."""

from sqlalchemy import BigInteger, Column, Index
from sqlmodel import Field

from telemetry.tables import Table


class AlertRule(Table, table=True):
    """One rule about a number, and what became of it. Times: Unix nanoseconds, 0: never."""

    __tablename__ = "alert_rule"
    __table_args__ = (Index("alert_rule_user", "user_id"),)

    rule_id: str = Field(primary_key=True)
    user_id: str = Field(description="Whose rule it is")
    everybody: bool = Field(default=False, description="It is about everybody's numbers, not the user's alone")
    measure: str = Field(description="errors, p95, cost, unpriced, tools or silence")
    tool: str | None = Field(default=None, description="For `tools`: only this one's calls")
    minutes: int = Field(description="Of the last so many minutes")
    warn: float | None = None
    alert: float | None = None
    least: int = Field(default=1, description="With fewer turns or calls, nothing is said")
    again_minutes: int = Field(default=0, description="It is told again after so many minutes; 0: once")
    state: str = "ok"
    value: float | None = None
    since_ns: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    checked_ns: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    told: str = Field(default="ok", description="The last state that was told")
    told_ns: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))


class AlertEvent(Table, table=True):
    """That a rule came to another state."""

    __tablename__ = "alert_event"

    rule_id: str = Field(primary_key=True)
    at_ns: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    user_id: str
    state: str
    value: float | None = None

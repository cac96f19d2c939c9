"""The base of what goes wrong in telemetry, said in a sentence."""


class TelemetryError(Exception):
    """What was asked of telemetry is not there, or its database cannot be used."""

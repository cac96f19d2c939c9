"""The HTTP API: thin routes over the runtime and the telemetry store."""

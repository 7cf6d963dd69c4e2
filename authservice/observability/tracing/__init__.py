"""Traces for OpenTelemetry, where its own variables ask for them; nothing is imported otherwise."""

"""Endpoints for operators and tools: health, readiness, API description, files, errors."""

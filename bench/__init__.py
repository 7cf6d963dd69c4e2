"""Measures the service: ``./run bench``. What is measured, and how, is in docs/performance.md."""

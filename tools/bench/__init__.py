"""Measures the service: ``./run bench``. What is measured, and how, is in docs/performance.md.

``runs`` sets up what a mode of ``modes`` compares: ``preparation`` makes databases, people and a
service of each variant, ``rounds`` visits them in turn, and ``measurement`` has the ``driver``
perform one of the ``cases``. ``report`` keeps the figures and shows them.
"""

"""Marking what leads to an answer, and then sends the request for it."""

from collections import defaultdict

from tests.openapi.described import PATHS

SITUATIONS = defaultdict(list)
"""What prepares a world for an answer, by operation, status and content type."""


def situation(operation, status, content_type="application/json"):
    """Mark what makes a world ready for an answer and returns what sends the request."""

    def mark(prepare):
        SITUATIONS[operation, status, content_type].append(prepare)
        return prepare

    return mark


def page(operation, status):
    return situation(operation, status, "text/html")


def empty(operation, status):
    return situation(operation, status, None)


def for_each(names, status, prepare, content_type="application/json"):
    """Say the same of several operations; ``prepare`` is given the path, too."""
    for name in names:

        def of_this_one(world, path=PATHS[name]):
            return prepare(world, path)

        SITUATIONS[name, status, content_type].append(of_this_one)


def with_a_session(world, path):
    world.signed_in()
    return world.get(path)

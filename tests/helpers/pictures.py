"""Pictures of a tab, for people to look at."""

from tests.helpers.chromium import playwright_api

_REFUSED = "Unable to capture screenshot"


def take(tab, path, **options):
    """Leave a picture at a path.

    A crowded Chromium refuses one now and then, and takes the same when it is asked once more.
    """
    try:
        tab.screenshot(path=path, **options)
    except playwright_api().Error as error:
        if _REFUSED not in str(error):
            raise
        tab.screenshot(path=path, **options)

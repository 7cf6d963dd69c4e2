"""A disk that is full: requests that write are told to come again, and nothing is lost."""

import shutil
from contextlib import suppress

import pytest

from tests.helpers import mounts
from tests.helpers.browser import Browser

pytestmark = pytest.mark.engines("sqlite")

MEBIBYTES = 4


@pytest.fixture
def small_disk(tmp_path):
    with mounts.small_disk(tmp_path / "disk", MEBIBYTES) as folder:
        yield folder


@pytest.fixture
def browser(make_app, small_disk, migrated_template):
    shutil.copy(migrated_template, small_disk / "full.sqlite")
    app = make_app(auth__database_url=f"sqlite:///{small_disk}/full.sqlite")
    yield Browser(app)
    app.registry.components.close()


def test_what_writes_comes_again_and_what_reads_goes_on(browser, small_disk):
    browser.sign_in()
    forms = [browser.get("/sign-in").forms[0] for _ in range(100)]
    with (small_disk / "rest").open("wb", buffering=0) as rest, suppress(OSError):
        while True:
            rest.write(b"x" * 4096)

    # What the log has had room for before, it still has.
    answers = [form.submit("choice", value="sign-in", expect_errors=True) for form in forms]
    statuses = [answer.status_int for answer in answers]
    assert set(statuses) <= {303, 503}
    assert statuses[-1] == 503
    assert answers[-1].headers["Retry-After"] == "5"
    assert browser.session()["user"]["id"] == "local-developer"

    (small_disk / "rest").unlink()

    again = [form.submit("choice", value="sign-in") for form in forms]
    assert {answer.status_int for answer in again} == {303}
    kept = [index for index, status in enumerate(statuses) if status == 303]
    assert [again[index].location for index in kept] == [answers[index].location for index in kept]

"""A browser that opens local mode by number is at its address from then on, and signs in there."""

import pytest

from tests.helpers.chromium import expect


@pytest.mark.parametrize("opened_at", ["127.0.0.1", "localhost"])
def test_a_browser_signs_in_whatever_name_it_has_opened(service, launch_chromium, opened_at):
    with launch_chromium().new_context() as context:
        page = context.new_page()

        page.goto(f"http://{opened_at}:{service.port}/sign-in?callbackURL=/account")
        page.locator("#sign-in-submit").click()

        expect(page.get_by_text("Local Developer").first).to_be_visible()
        assert page.url == f"{service.url}/account"

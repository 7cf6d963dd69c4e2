"""A person with a browser that runs no scripts, over real HTTP."""

from urllib.parse import urljoin

import requests

from tools.bench.driver.form import Form


class Person:
    """Signs in and allows; stops as soon as an address leaves the service."""

    def __init__(self, service_url):
        self.service_url = service_url
        self.http = requests.Session()
        self.http.trust_env = False

    def open(self, url):
        """Open an address of the service, answer its pages, and return where that leads."""
        answer = self.http.get(url, allow_redirects=False, timeout=20)
        while True:
            if answer.is_redirect:
                url = urljoin(answer.url, answer.headers["Location"])
                if not url.startswith(f"{self.service_url}/"):
                    return url
                answer = self.http.get(url, allow_redirects=False, timeout=20)
            elif 'id="sign-in-submit"' in answer.text:
                answer = self._submit(answer, choice="sign-in")
            elif 'id="consent-allow"' in answer.text:
                answer = self._submit(answer, decision="allow")
            else:
                return answer

    def _submit(self, page, **button):
        form = Form(page.text)
        url = urljoin(page.url, form.action)
        return self.http.post(url, form.fields | button, allow_redirects=False, timeout=20)

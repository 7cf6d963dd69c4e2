"""What the User-Agent header says, in words."""

from authservice.web.pages.user_agent import UserAgent

WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
BLINK = "AppleWebKit/537.36 (KHTML, like Gecko)"
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)"
ANDROID = "Mozilla/5.0 (Linux; Android 10; K)"


def test_browser_and_system_are_named(subtests):
    for header, browser, system in (
        (f"{MAC} {WEBKIT} Version/18.5 Safari/605.1.15", "Safari", "macOS"),
        (f"{IPHONE} {WEBKIT} Version/18.5 Mobile/15E148 Safari/604.1", "Safari", "iPhone"),
        (f"{IPHONE} {WEBKIT} CriOS/140.0.1 Mobile/15E148 Safari/604.1", "Chrome", "iPhone"),
        (f"{IPHONE} {WEBKIT} FxiOS/140.0 Mobile/15E148 Safari/605.1.15", "Firefox", "iPhone"),
        (f"{WINDOWS} {BLINK} Chrome/140.0.0.0 Safari/537.36", "Chrome", "Windows"),
        (f"{WINDOWS} {BLINK} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", "Edge", "Windows"),
        (f"{MAC} {BLINK} Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0", "Opera", "macOS"),
        (f"{ANDROID} {BLINK} Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome", "Android"),
        (
            f"{ANDROID} {BLINK} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
            "Samsung Internet",
            "Android",
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox",
            "Linux",
        ),
        (
            f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {BLINK} Chrome/140.0.0.0 Safari/537.36",
            "Chrome",
            "ChromeOS",
        ),
        (f"Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) {WEBKIT} Mobile/15E148", None, "iPad"),
        ("curl/8.14.1", None, None),
        ("<script>Firefox/1", "Firefox", None),
        ("", None, None),
        (None, None, None),
    ):
        with subtests.test(header=header, browser=browser, system=system):
            assert UserAgent.of_header(header) == UserAgent(browser, system)

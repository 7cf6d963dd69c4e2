"""GET /api/ready: rate limits that nobody counts."""

from tests.production import production_app, production_browser


def test_rate_limits_that_nobody_counts_degrade_it(make_app, monkeypatch, redis_server):
    app = production_app(make_app, monkeypatch, ratelimit__storage=redis_server.url)
    browser = production_browser(app)
    assert said(browser.get("/api/ready")) == ("ready", set())

    redis_server.stop()
    try:
        answer = browser.get("/api/ready")
    finally:
        redis_server.start()

    assert said(answer) == ("degraded", {"rate_limits_off"})
    assert "redis" not in answer.text
    assert said(browser.get("/api/ready")) == ("ready", set())


def said(answer):
    return answer.json["status"], set(answer.json["conditions"])

"""GET /api/ready: rate limits that are not counted."""

from tests.helpers.production import production_app, production_browser


def test_rate_limits_that_nobody_counts_degrade_it(make_app, monkeypatch, redis_server):
    app = production_app(make_app, monkeypatch, ratelimit__storage=redis_server.url)
    browser = production_browser(app)
    # As this machine itself asks: what is wrong is not told to others.
    here = {"Host": "127.0.0.1:8080"}
    assert said(browser.get("/api/ready", headers=here)) == ("ready", set())

    redis_server.stop()
    try:
        answer = browser.get("/api/ready", headers=here)
    finally:
        redis_server.start()

    assert said(answer) == ("degraded", {"rate_limits_off"})
    assert "redis" not in answer.text
    assert said(browser.get("/api/ready", headers=here)) == ("ready", set())


def said(answer):
    return answer.json["status"], set(answer.json["conditions"])

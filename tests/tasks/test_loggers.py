"""pytest goes through all loggers, and a thread may make one meanwhile."""

import logging


def test_a_logger_may_be_made_while_pytest_goes_through_all():
    seen = [
        logging.getLogger("tests.made_meanwhile")
        for _ in logging.Logger.manager.loggerDict.values()
    ]

    assert seen

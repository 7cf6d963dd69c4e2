"""Protocol answers as Pyramid responses."""

from pyramid.response import Response

from authservice.oauth.protocol_answer import ProtocolAnswer
from authservice.web.ready_answer import ReadyAnswer


def protocol_response(answer: ProtocolAnswer) -> Response:
    """Return the answer as a response; without a body there is no Content-Type either."""
    headers = list(answer.headers.items())
    if answer.content_type is not None:
        headers.append(("Content-Type", answer.content_type))
    return ReadyAnswer(answer.body.encode(), headers, answer.status)

"""Protocol answers as Pyramid responses."""

from pyramid.response import Response

from authservice.oauth.protocol_answer import ProtocolAnswer


def protocol_response(answer: ProtocolAnswer) -> Response:
    """Return the answer as a response; without a body there is no Content-Type either."""
    response = Response(answer.body.encode(), status=answer.status)
    if answer.content_type is None:
        response.headers.pop("Content-Type", None)
    else:
        response.content_type = answer.content_type
        response.charset = None
    response.headers.update(answer.headers)
    return response

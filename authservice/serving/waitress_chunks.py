"""A body in chunks, as waitress receives it here: each chunk begins with its size.

waitress passes over empty lines before a size, and over a line feed at the end of an extension
behind it. A server that does not, or for which that is the end of the line, would find another end
of the body (RFC 9112, sections 2.2 and 7.1).
"""

from waitress.receiver import ChunkedReceiver
from waitress.utilities import BadRequest

_LINE_END = b"\r\n"


class Chunks(ChunkedReceiver):  # type: ignore[misc]  # waitress has no types
    """One body while it arrives."""

    # Told to the type checker, which cannot see it in waitress.
    error: BadRequest | None = None

    def received(self, data: bytes) -> int:
        """Take what has come, and return how many bytes of it belong to the body."""
        taken = 0
        while taken < len(data) and not self.completed and self.error is None:
            if self._expects_size and self._line_is_empty(data[taken : taken + 2]):
                self.error = BadRequest("A chunk must begin with its size")
                self.all_chunks_received = True
                return len(data)
            piece = data[taken : self._end(data, taken)]
            used: int = super().received(piece)
            taken += used
            if self._expects_size and self.control_line and piece.endswith(b"\n"):
                self.error = BadRequest("The line of a chunk's size must end as every other")
                self.all_chunks_received = True
        return len(data) if self.error else taken

    @property
    def _expects_size(self) -> bool:
        inside = self.chunk_remainder or self.validate_chunk_end
        return not inside and not self.all_chunks_received

    def _line_is_empty(self, further: bytes) -> bool:
        begun: bytes = self.control_line + further
        return begun.startswith(_LINE_END)

    def _end(self, data: bytes, begin: int) -> int:
        """Return where the part of the body ends that comes now: size, chunk, line end or rest."""
        if self.chunk_remainder:
            return begin + int(self.chunk_remainder)
        if self.validate_chunk_end:
            return begin + len(_LINE_END) - len(self.chunk_end)
        if self.all_chunks_received:
            return len(data)
        return data.find(b"\n", begin) + 1 or len(data)

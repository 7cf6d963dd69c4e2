"""JSON without blanks, as it is signed and answered."""

import json
from collections.abc import Callable
from typing import Any

# json.dumps makes an encoder for each call that asks for other separators than its own.
compact: Callable[[Any], str] = json.JSONEncoder(separators=(",", ":")).encode

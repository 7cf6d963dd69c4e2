"""What every layer of the web stands on: the request, what it is read from, and its parts."""

"""What ends sessions and tokens: a person who is out or is deleted, a disconnected client."""

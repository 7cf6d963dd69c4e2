"""The machine that a run is measured on: its cores, its page cache, what processes use of it."""

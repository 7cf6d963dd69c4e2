"""The kinds of runs: what each compares, and what it judges."""

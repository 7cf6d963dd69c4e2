"""What a run leaves: its figures, their comparison, tables and plots."""

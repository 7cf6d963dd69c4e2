"""The tables of admission: who may sign in, and who may no longer."""

"""Who may sign in: the rules of the settings, and the lists of clients."""

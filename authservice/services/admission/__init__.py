"""Who may sign in: what the rules of the settings decide, remembered and taken back."""

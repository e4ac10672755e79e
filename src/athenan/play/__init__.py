"""Players, sessions, matches and series of matches with their statistics."""

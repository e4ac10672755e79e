"""Players, sessions and analysis, single matches and their records."""

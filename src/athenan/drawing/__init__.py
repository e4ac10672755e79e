"""Pictures of boards: one renderer for notebooks, documentation and the browser. It knows descriptions, no game."""

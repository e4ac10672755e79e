"""Pictures of boards: one renderer for notebooks, documentation and the browser. It draws descriptions of boards."""

"""What watches a training: the display, curves, kept networks, latest matches, measurements of strength."""

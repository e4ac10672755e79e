"""What a training leaves on disk."""

"""What is learnt from a match: states with their targets."""

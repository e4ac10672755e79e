"""Other programs as players: how they are started and asked, and what their answers mean in our games."""

"""Players that are other programs: how they are started and asked, and what their answers mean in our games."""

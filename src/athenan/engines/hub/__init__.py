"""Hub, version 2, for international draughts (F. Letouzey, 2017): a server and a client."""

"""The Go Text Protocol, version 2 (G. Farnebäck, draft 2, 2002), for all games: a server and a client."""

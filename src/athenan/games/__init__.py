"""The rules of the games, one module a game; knows nothing of search, networks or drawing."""

"""Protocols: other programs as players, and athenan as an engine for them.

A server (`*/server.py`) handles one line after the other and writes through a function. An `Engine` is the session that
it lets think, in a separate thread if need be, so that `stop` comes through. A conversation (`*/client.py`) asks a
program about one turn through a `Transport`: lines out, lines in, each within a time. Tests give a server lines and a
conversation a script, without processes. `ProgramPlayer` makes a player of a conversation, and turns its failures into
`Forfeit`, by which `play_match` ends the match.

Queries (`queries`) are not about one position: a `QueryServer` has a search with many slots, gives each
waiting position a free one, and lets all advance by one batch at a time, while a thread reads lines.
"""

"""Portable Draughts Notation (PDN 3.0; the numbers of games are its GameTypes): matches of draughts."""

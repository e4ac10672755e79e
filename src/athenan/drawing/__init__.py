"""Pictures of boards: one renderer for notebooks, documentation and the browser. It draws descriptions of boards.

It knows the description of a board (`rules.board`) and no game. A page knows even less: the server sends it a picture
whose places are elements with numbers, and for each legal action the numbers of its places.
"""

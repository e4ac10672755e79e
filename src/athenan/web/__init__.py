"""A gallery of the games and a board in the browser: a local server and pages that play and analyse.

A page has a socket, and behind it a `PageGame`: a position, and at most one search, in a thread of its own, which every
further message ends. Positions are moves in the notation, so that reloading, undoing, a link and a step in the tree of
variations are one message. The search itself makes its reports, whenever they would take no more than 2% of its
processor time. Kernels and the network release Python's lock, so that the page is answered while a search runs. A page
is shown before torch is imported, which takes longer than all else at the start.

All words of the pages are in tables (`texts`). The server puts the table of its language into each page. The answers of
the server have no words: what it refuses is the key of a text, with values (`refusals`). The scripts and style sheets
are in `static`: a script for each page, which imports others with one subject each. No page needs anything from another
host.

A page is not trusted: messages have fixed fields (`messages`), and what it may choose are names in lists that the
server makes (`choices`). No page starts a program, except by a name that the command has given to a player.
"""

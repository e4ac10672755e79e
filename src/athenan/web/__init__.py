"""A board in the browser: a local server, and a page that plays and analyses."""

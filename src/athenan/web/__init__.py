"""A board in the browser: a local server and pages that play and analyse."""

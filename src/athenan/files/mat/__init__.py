"""Files of matches of backgammon, .mat: several games with the doubling cube, in two columns."""

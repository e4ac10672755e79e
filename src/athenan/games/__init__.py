"""The catalogue of the games, and the rules of each, in a module or package."""

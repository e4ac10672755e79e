"""Positions as the Hub protocol writes them."""

START = "W" + 20 * "b" + 10 * "e" + 20 * "w"
"""The example of the protocol's description."""

"""The heads of evaluations by name: what one gives of a state."""

VALUES = ("values",)
"""The head that every evaluation has, alone."""
VALUES_AND_POLICIES = ("values", "policies")
"""The heads of a network that AlphaZero learns."""

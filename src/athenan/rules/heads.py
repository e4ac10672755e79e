"""The heads of evaluations, by name: what each says about a state."""

VALUES = ("values",)
"""Only the head that every evaluation has."""
VALUES_AND_POLICIES = ("values", "policies")
"""The heads of a network that AlphaZero learns."""

"""What tests of the command share, beside its fixtures."""


def without_compiling(errors):
    """Standard error without the line that a command prints when it is the first that compiles."""
    return "".join(
        line for line in errors.splitlines(True) if not line.startswith("athenan: Preparing rules and search ")
    )

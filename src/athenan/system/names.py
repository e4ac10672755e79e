"""Names of files: on Linux they are any bytes, elsewhere they are text."""

import os
import sys
from pathlib import Path
from weakref import finalize


def in_utf8(folder: Path, owner: object) -> str:
    """A name of the folder in UTF-8, valid as long as the owner exists: through an open file if its own name is not."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        if sys.platform != "linux":
            raise
        opened = os.open(folder, os.O_RDONLY)
        finalize(owner, os.close, opened)
        return f"/proc/self/fd/{opened}"
    return str(folder)

"""`python -m athenan`: the command."""

import sys

from athenan.cli import main

sys.exit(main())

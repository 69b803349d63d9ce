"""`python -m simlab` is `simlab`."""

import sys

from simlab.cli import main

sys.exit(main())

"""CECP, the protocol of XBoard and WinBoard (T. Mann and H. G. Muller, version 2, 2009)."""

"""Trees and the search algorithms on them; compiled by numba, without torch."""

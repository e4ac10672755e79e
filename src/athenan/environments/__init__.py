"""Environments: the games for learning code of others, many states at a time.

`StateBatch` (`batch.py`) steps n states in compiled code (`rows.py`), in several threads (`threads.py`).
"""

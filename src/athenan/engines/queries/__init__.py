"""Analysis of many positions at once: queries and answers as lines of JSON (docs/queries.md)."""

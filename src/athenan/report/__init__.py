"""Reports: tables, figures, and pages that show them. Knows nothing of what they tell."""

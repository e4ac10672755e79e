"""Reports: tables, figures, and pages that show them, whatever their content."""

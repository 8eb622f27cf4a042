"""`tacit bench papers`: every number of the papers beside what is measured here."""

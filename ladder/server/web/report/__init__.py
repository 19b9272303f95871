"""The report as one page that stands alone."""

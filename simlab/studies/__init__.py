"""Study files, plans, the results store, and running."""

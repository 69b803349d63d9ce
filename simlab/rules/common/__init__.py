"""What rule systems have in common and none of them owns: choices, facts, and sheets as text, rows and drawings."""

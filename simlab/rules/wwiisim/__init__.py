"""WWIISIM World War II: the special rules of version 1.5, with base rules as parameters."""

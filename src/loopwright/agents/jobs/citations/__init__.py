"""Citations: a quote is recorded only where it really stands, and can be verified again at any time."""

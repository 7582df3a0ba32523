"""The account: what the user said, statement by statement, and what each has come to, by measurement."""

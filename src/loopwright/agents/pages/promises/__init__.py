"""The record of promises: what the user asked for and got, as checks that every later change has to pass."""

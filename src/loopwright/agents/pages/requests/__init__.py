"""Requests to change an app that exists: read from the user's words, carried out, and measured by their effect."""

"""Edits that preserve: changes are spliced into a page's source, and a proof says what they left alone."""

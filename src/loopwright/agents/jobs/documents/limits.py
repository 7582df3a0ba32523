"""How much of a document is read; what is larger is refused before it costs anything."""

MAX_BYTES = 50_000_000
MAX_PAGES = 3_000
MAX_CHARACTERS = 5_000_000
"""Of extracted text; some 2,000 full pages."""
MAX_UNPACKED_BYTES = 200_000_000
"""Of a packed format (DOCX) after unpacking."""
MAX_PACKED_FILES = 5_000
READING_SECONDS = 90
READING_MEGABYTES = 1_500
"""Memory of the process that reads a document in a foreign format."""

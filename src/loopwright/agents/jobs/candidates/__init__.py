"""Finding sentences that may state a requirement, in German and English, by patterns that are data."""

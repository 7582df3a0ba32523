"""Taking a prototype along: a zip, an installable web app, or one HTML file; each works without a network."""

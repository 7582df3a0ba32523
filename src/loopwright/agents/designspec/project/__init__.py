"""The project folder: the spec and its history, patches, reports, artifacts and logs on disk."""

"""Looking things up outside the order's own documents: a local folder, or the web where the job's config allows it."""

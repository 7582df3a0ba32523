"""JSON Patch (RFC 6902) on the document: apply, invert, rebase, describe."""

"""What an exported page may do. Its scripts come from a model: they run, but they reach nothing outside."""

_COMMON = (
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data:; form-action 'self'; base-uri 'none'"
)


def policy_tag(*, worker: bool = False) -> str:
    """A Content-Security-Policy as markup (a file has no headers): no requests to anywhere but the app's own files.

    `worker` allows what an installed web app needs: its manifest and its service worker.
    """
    files = "connect-src 'self'; worker-src 'self'; manifest-src 'self'" if worker else "connect-src 'none'"
    content = (
        f"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; {_COMMON}; {files}"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{content}">'

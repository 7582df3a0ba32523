"""Hello with a tool."""

from loopwright import Agent, run


def tide(port: str) -> str:
    """Say when the tide is high in a port."""
    return {"Cork": "06:12"}.get(port, "unknown")


clerk = Agent("tide-clerk", "Answer questions about tides.", tools=[tide])

if __name__ == "__main__":
    print(run(clerk, "When is high tide in Cork?").text)

"""A typed answer."""

from pydantic import BaseModel
from pydantic_ai import Agent


class Report(BaseModel):
    title: str
    pages: int


reporter = Agent("openai-chat:gpt-4.1", instructions="Report.", output_type=Report)

if __name__ == "__main__":
    report = reporter.run_sync("Report on tides.").output
    print(report.title, report.pages)

"""A typed answer."""

from agents import Agent, Runner
from pydantic import BaseModel


class Report(BaseModel):
    title: str
    pages: int


reporter = Agent(name="reporter", instructions="Report.", output_type=Report)

if __name__ == "__main__":
    report = Runner.run_sync(reporter, "Report on tides.").final_output
    print(report.title, report.pages)

"""A typed answer."""

from pydantic import BaseModel

from loopwright import Agent, run


class Report(BaseModel):
    title: str
    pages: int


reporter = Agent("reporter", "Report.", output=Report)

if __name__ == "__main__":
    report = run(reporter, "Report on tides.").output
    print(report.title, report.pages)

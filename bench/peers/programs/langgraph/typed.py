"""A typed answer."""

from langchain.agents import create_agent
from pydantic import BaseModel


class Report(BaseModel):
    title: str
    pages: int


reporter = create_agent("openai:gpt-4.1", tools=[], system_prompt="Report.", response_format=Report)

if __name__ == "__main__":
    state = reporter.invoke({"messages": [{"role": "user", "content": "Report on tides."}]})
    report = state["structured_response"]
    print(report.title, report.pages)

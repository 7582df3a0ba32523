"""An agent that asks another one."""

from langchain.agents import create_agent

helper = create_agent("openai:gpt-4.1", tools=[], system_prompt="You are the auditor. Check sums.")


def auditor(message: str) -> str:
    """Checks whether a sum is right."""
    return helper.invoke({"messages": [{"role": "user", "content": message}]})["messages"][-1].text


boss = create_agent("openai:gpt-4.1", tools=[auditor], system_prompt="Have each sum checked.")

if __name__ == "__main__":
    state = boss.invoke({"messages": [{"role": "user", "content": "Is 2 + 2 = 4?"}]})
    print(state["messages"][-1].text)

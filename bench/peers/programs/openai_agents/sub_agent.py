"""An agent that asks another one."""

from agents import Agent, Runner

auditor = Agent(name="auditor", instructions="You are the auditor. Check sums.")
asks = auditor.as_tool(tool_name="auditor", tool_description="Checks whether a sum is right.")
boss = Agent(name="boss", instructions="Have each sum checked.", tools=[asks])

if __name__ == "__main__":
    print(Runner.run_sync(boss, "Is 2 + 2 = 4?").final_output)

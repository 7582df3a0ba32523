"""An agent that asks another one."""

from loopwright import Agent, run

auditor = Agent("auditor", "You are the auditor. Check sums.", description="Checks whether a sum is right.")
boss = Agent("boss", "Have each sum checked.", tools=[auditor.as_tool()])

if __name__ == "__main__":
    print(run(boss, "Is 2 + 2 = 4?").text)

"""A payment that is killed in the middle; a session keeps turns that are over, so the program starts anew."""

from agents import Agent, Runner, SQLiteSession, function_tool
from bank import transfer


@function_tool
def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


payer = Agent(name="payer", instructions="Pay what you are told.", tools=[pay])

if __name__ == "__main__":
    print(Runner.run_sync(payer, "Pay 3 euros.", session=SQLiteSession("1", "session.db")).final_output)

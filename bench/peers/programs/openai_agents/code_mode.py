"""A script over the tools, by hand: the code interpreter of OpenAI runs there, and cannot call these functions."""

import io
from contextlib import redirect_stdout

from agents import Agent, Runner, SQLiteSession, function_tool
from bank import transfer


def price(item: str) -> int:
    """Say what an item costs, in euros."""
    return {"tea": 2, "cake": 4}[item]


def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


@function_tool
def run_code(code: str) -> str:
    """Run a Python script, which may call price(item: str) -> int and pay(euros: int) -> str."""
    with redirect_stdout(io.StringIO()) as printed:
        exec(code, {"price": price, "pay": pay})
    return printed.getvalue()


buyer = Agent(name="buyer", instructions="Buy what you are told.", tools=[run_code])

if __name__ == "__main__":
    print(Runner.run_sync(buyer, "Buy tea and cake.", session=SQLiteSession("1", "session.db")).final_output)

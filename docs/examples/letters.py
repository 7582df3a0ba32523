"""An agent that counts letters with a tool, because models miscount them."""

from loopwright import Agent, run, tool


@tool(effect="pure")
def count_letters(word: str, letter: str) -> int:
    """Count how often a letter occurs in a word."""
    return word.count(letter)


letters = Agent("letters", "You count letters, and you never guess.", tools=[count_letters])

if __name__ == "__main__":
    print(run(letters, "How many r are in strawberry?").text)

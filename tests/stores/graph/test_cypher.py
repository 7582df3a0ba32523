"""Which statements may run: words are judged by where they stand, and nothing else slips through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.jobs.store.cypher import FORBIDDEN, WRITING, permitted, tokens
from loopwright.kernel.errors import InvalidInput

READING = [
    "MATCH (r:Requirement) RETURN r",
    "match (r:Requirement {rid: $rid})-[f]->(e) where not e.name =~ '.*SET.*' return r, type(f), labels(e)",
    "MATCH (n) WHERE n.set = 1 AND n.`delete` IS NULL RETURN n.load AS `create`",
    "MATCH (n:Load)-[:USE|SET_BY]->(m) RETURN $set, n;",
    "UNWIND range(1, 3) AS x RETURN x // DELETE nothing",
    "/* LOAD CSV */ MATCH (n) RETURN count(*), 1.5 + 2",
    "MATCH (n) RETURN duration.between(date('2026-01-01'), date()) AS d",
    "CALL db.labels() YIELD label RETURN label",
    "CALL { MATCH (n) RETURN n LIMIT 2 } RETURN n",
    'MATCH (n) WHERE n.name = "it\'s \\"DELETE\\"; DROP" RETURN n',
    "OPTIONAL MATCH (ä:Rückgabe) WHERE ä.größe > 0x1F RETURN ä.größe UNION RETURN 1",
]
REFUSED = [
    ("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", "LOAD"),
    ("load/**/csv from $f as line return line", "LOAD"),
    ("MATCH (n) RETURN n; MATCH (m) RETURN m", "one statement"),
    ("MATCH (n) DETACH DELETE n", "only reads"),
    ("MATCH (n) WITH n LIMIT 1. DELETE n", "only reads"),
    ("MATCH (n) FOREACH (x IN [1] | SET n.x = x)", "only reads"),
    ("CALL apoc.load.json('http://example.com') YIELD value RETURN value", "procedure apoc.load.json"),
    ("CALL `apoc`.`load`.json('x')", "procedure apoc.load.json"),
    ("CALL dbms.listConfig()", "procedure dbms.listconfig"),
    ("RETURN apoc.cypher.runFirstColumnSingle('MATCH (n) RETURN n', {})", "function apoc.cypher"),
    ("RETURN `apoc` . cypher . run ( 'x' )", "function apoc.cypher.run"),
    ("CALL { MATCH (n) DELETE n } IN TRANSACTIONS", "TRANSACTIONS"),
    ("USE neo4j MATCH (n) RETURN n", "USE"),
    ("SHOW USERS", "begin with SHOW"),
    ("PROFILE MATCH (n) RETURN n", "begin with PROFILE"),
    ("EXPLAIN MATCH (n) RETURN n", "begin with EXPLAIN"),
    (r"MATCH (n) WHERE n.name = '\u0027 DELETE n //' RETURN n", "cannot be read"),
    (r"MATCH (n) \u0044ELETE n", "cannot be read"),
    ("MATCH (n:`a``b`) RETURN n `", "cannot be read"),
    ("MATCH (n) WHERE n.name = 'open RETURN n", "cannot be read"),
    ("MATCH (n) /* open RETURN n", "cannot be read"),
    ("RETURN 1\x00", "cannot be read"),
    ("MATCH (n RETURN n", "is missing"),
    ("MATCH (n]) RETURN n", "closes nothing"),
    ("RETURN " + "(" * 61 + "1" + ")" * 61, "60 brackets"),
    ("RETURN '" + "x" * 20_000 + "'", "20000 are allowed"),
    (" // nothing \n", "no query"),
    (";", "no query"),
]


@pytest.mark.parametrize("cypher", READING)
def test_reading_may_run(cypher: str) -> None:
    statement = permitted(cypher, write=False)
    assert statement.returns
    assert not statement.text.endswith(";")


@pytest.mark.parametrize(("cypher", "told"), REFUSED, ids=lambda text: text[:30])
def test_all_else_is_refused(cypher: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        permitted(cypher, write=False)


def test_writing_may_run_where_it_was_asked_for() -> None:
    assert not permitted("MERGE (r:Requirement {rid: $rid}) SET r.name = $name", write=True).returns
    assert not permitted("MERGE (n:X {a: 1}) ON CREATE SET n.b = 2 ON MATCH SET n.c = 3", write=True).returns
    assert permitted("CREATE p = (a)-[:X]->(b) RETURN p", write=True).returns
    for cypher in (
        "CREATE USER x",
        "MATCH (n) CREATE INDEX FOR (n:X) ON (n.y)",
        "DROP INDEX x",
        "LOAD CSV FROM $x AS y",
    ):
        with pytest.raises(InvalidInput):
            permitted(cypher, write=True)


WORDS = st.sampled_from(sorted(WRITING | FORBIDDEN | {"CALL apoc.load.json", "LOAD CSV"}))
CASES = st.sampled_from([str.upper, str.lower, str.title])
FILLER = st.text(st.characters(codec="utf-8", exclude_characters="'\"`\\*/\r\n"), max_size=8)
GAPS = st.sampled_from([" ", "\n", "\t ", " /* gap */ ", " // gap\n", "/**/"])


@given(word=WORDS, case=CASES, left=FILLER, right=FILLER)
def test_a_word_is_harmless_where_it_is_text(word: str, case, left: str, right: str) -> None:
    inner = left + case(word) + right
    for quoted in (f"'{inner}'", f'"{inner}"', f"1 /*{inner}*/", f"1 //{inner}\n", f"1 AS `{inner}`"):
        assert permitted(f"RETURN {quoted}", write=False).returns


@given(word=WORDS, case=CASES, before=GAPS, after=GAPS, text=FILLER)
def test_a_clause_is_refused_wherever_it_stands(word: str, case, before: str, after: str, text: str) -> None:
    for start in (f"MATCH (n) WHERE n.x = '{text}'", "MATCH (n:X {y: 1})", "WITH 1 AS x", "MATCH (n) WITH n.x AS y"):
        with pytest.raises(InvalidInput):
            permitted(start + before + case(word) + after + "n RETURN 1", write=False)


@given(text=st.text(max_size=60) | st.text("'\"`/*\\;(){}[]$.:ab \n", max_size=40))
def test_tokens_are_the_text_or_it_is_refused(text: str) -> None:
    try:
        pieces = list(tokens(text))
    except InvalidInput:
        return
    assert "".join(piece.text for piece in pieces) == text


@given(text=st.text("'\"`/*\\;(){}[]$.:, \nMATCHRETURNDELETESETn1", max_size=60))
def test_whatever_may_run_has_no_comment_and_no_second_statement(text: str) -> None:
    try:
        statement = permitted("RETURN " + text, write=False)
    except InvalidInput:
        return
    pieces = list(tokens(statement.text))
    assert not [piece for piece in pieces if piece.kind == "comment" or piece.text == ";"]
    assert permitted(statement.text, write=False) == statement

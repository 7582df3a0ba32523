"""What can be set for the jobs agent."""

from pydantic import Field, SecretStr

from loopwright.app.settings import PackageSettings


class JobsSettings(PackageSettings):
    """Each field's alias is the environment variable."""

    neo4j_uri: str | None = Field(None, validation_alias="NEO4J_URI")
    """A Neo4j server instead of the graph's file."""
    neo4j_user: str | None = Field(None, validation_alias="NEO4J_USER")
    neo4j_password: SecretStr | None = Field(None, validation_alias="NEO4J_PASSWORD")

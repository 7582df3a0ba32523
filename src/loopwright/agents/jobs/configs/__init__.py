"""Job configs: those that ship with the product, and those of users, which extend them."""

from loopwright.agents.jobs.configs.layers import shipped_names
from loopwright.agents.jobs.configs.loading import ConfigReport, config_schema, examine_config, load_config

__all__ = ["ConfigReport", "config_schema", "examine_config", "load_config", "shipped_names"]

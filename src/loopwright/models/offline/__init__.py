"""The offline model: rules that speak the wire of a language model, so that everything works with no account at all."""

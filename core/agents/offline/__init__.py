"""The built-in offline assistant: a model of the Agents SDK that is no language model."""

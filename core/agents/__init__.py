"""The agents, their prompts and the models behind them."""

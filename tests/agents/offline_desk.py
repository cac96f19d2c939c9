"""A conversation with the offline assistant without an app: questions in, acts out, results handed back."""

import json
from datetime import datetime
from inspect import Parameter, signature
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from core.agents.offline.acts import Acts, Call, Offer, Say
from core.agents.offline.model import OfflineBrain
from core.mcp_server.guard import ToolFunction
from core.mcp_server.server import tool_functions
from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 30, 15, 30, tzinfo=ZONE)  # a Monday


def brain() -> OfflineBrain:
    made = OfflineBrain(load_catalogue(), Embedder())
    made.load()
    return made


def specialist_offers(domain: str) -> list[Offer]:
    return [offer_of(name, function) for name, function in tool_functions(domain).items()]


def offer_of(name: str, function: ToolFunction) -> Offer:
    parameters = list(signature(function).parameters.values())[1:]
    needed = frozenset(one.name for one in parameters if one.default is Parameter.empty)
    return Offer(name, frozenset(one.name for one in parameters), needed)


def orchestrator_offers() -> list[Offer]:
    return [Offer(d.agent.task, frozenset({"query"}), frozenset({"query"})) for d in load_catalogue().domains.values()]


class Desk:
    """One conversation; `results` answer calls by tool name, in turn."""

    def __init__(self, mind: OfflineBrain, offers: list[Offer]) -> None:
        self.mind, self.offers = mind, offers
        self.items: list[dict[str, Any]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def decide(self, question: str) -> Acts:
        return self.mind.decide([*self.items, {"role": "user", "content": question}], self.offers, NOW)

    def ask(self, question: str, *results: BaseModel | str) -> str:
        """Ask, hand back results as the calls come, and give the answer."""
        self.items.append({"role": "user", "content": question})
        left = list(results)
        for _ in range(5):
            acts = self.mind.decide(self.items, self.offers, NOW)
            says = [act.text for act in acts if isinstance(act, Say)]
            if says:
                self.items.append({"role": "assistant", "content": [{"type": "output_text", "text": says[0]}]})
                return says[0]
            for act in acts:
                assert isinstance(act, Call)
                self._handed_back(act, left.pop(0))
        raise AssertionError("It never answers.")

    def _handed_back(self, act: Call, result: BaseModel | str) -> None:
        self.calls.append((act.name, dict(act.args)))
        text = result if isinstance(result, str) else result.model_dump_json()
        number = f"call_{len(self.items)}"
        self.items += [
            {"type": "function_call", "call_id": number, "name": act.name, "arguments": json.dumps(act.args)},
            {"type": "function_call_output", "call_id": number, "output": text},
        ]

"""The assistant as a `Model` of the Agents SDK: it decides from its inputs alone, and streams like any other."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from agents import (
    AgentOutputSchemaBase,
    FunctionTool,
    Handoff,
    ModelResponse,
    ModelSettings,
    Tool,
    Usage,
    generation_span,
)
from agents.items import TResponseInputItem, TResponseOutputItem, TResponseStreamEvent
from agents.models.interface import Model, ModelTracing
from agents.tracing import GenerationSpanData, Span
from openai.types.responses import ResponseTextDeltaEvent, ResponseUsage
from openai.types.responses.response_prompt_param import ResponsePromptParam
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from core.agents.offline import replies
from core.agents.offline.acts import Acts, Call, Offer
from core.agents.offline.conversation import read
from core.agents.offline.mind import Mind, build_mind
from core.agents.offline.orchestrator import Orchestrator
from core.agents.offline.planner import RulePlanner, load_plan_rules
from core.agents.offline.specialist import Specialist
from core.agents.offline.stranger import Stranger
from core.agents.recollection import UTILITIES
from core.registry.display import MORE
from core.registry.embeddings import Embedder
from core.registry.manifests import Catalogue
from core.registry.router import Router
from core.registry.toolcards import Schema

NAME = "glassdesk-offline"
REMEMBERED = 10_000
CONFIG = {"provider": "glassdesk", "glassdesk.usage.estimated": True}
Input = str | list[TResponseInputItem]


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


class OfflineBrain:
    """What all offline models share: examples with their vectors, patterns, templates.

    Args:
        catalogue: the manifests; they alone say which tools there are and what people ask of them.
        embedder: shared with the router.
        router: shared with the runtime; made where none is given.
        schemas: tool → its parameters, also of tools that are hidden in a turn; asked for when there are such.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        embedder: Embedder,
        router: Router | None = None,
        schemas: Callable[[], Mapping[str, Schema]] = dict,
    ) -> None:
        self._catalogue, self._embedder, self._schemas = catalogue, embedder, schemas
        self._router = router or Router(catalogue, embedder)
        self._mind: Mind | None = None
        self._planner: RulePlanner | None = None
        self._counts: dict[int, int] = {}
        self._offers: dict[str, tuple[Mapping[str, Any], Offer]] = {}

    def load(self) -> None:
        """Read the data and embed the examples; otherwise the first question waits for it (about 0.2 s)."""
        if self._mind is None:
            self._router.load()
            self._mind = build_mind(self._catalogue, self._embedder, self._router)

    @property
    def planner(self) -> RulePlanner:
        """Makes plans by rule."""
        self.load()
        assert self._mind is not None
        if self._planner is None:
            self._planner = RulePlanner(self._mind, load_plan_rules())
        return self._planner

    def decide(self, items: str | Sequence[Any], offers: Sequence[Offer], now: datetime) -> Acts:
        """What to do next: calls of offered tools, or an answer.

        Args:
            items: the model's input.
            offers: the tools offered.
            now: aware, in the user's zone.
        """
        self.load()
        assert self._mind is not None
        offered = {offer.name: offer for offer in offers}
        tasks = {manifest.agent.task for manifest in self._catalogue.domains.values()}
        if tasks & offered.keys() or not offered:
            return Orchestrator(self._mind, offered, now).act(read(items))
        more = offered.pop(MORE, None)
        if not offered.keys() & self._catalogue.names:
            return Stranger(self._mind, offered, now).act(read(items))
        acts = Specialist(self._mind, self._with_hidden(offered) if more else offered, now).act(read(items))
        hidden = any(isinstance(act, Call) and act.name not in offered for act in acts)
        return [Call(MORE, {})] if hidden else acts

    def _with_hidden(self, offered: Mapping[str, Offer]) -> dict[str, Offer]:
        """What is offered, and the other tools of the same domains."""
        domains = {domain for domain, tool in self._catalogue.tools() if tool.name in offered}
        schemas = self._schemas()
        theirs = {
            tool.name: self._offer(tool.name, schemas[tool.name].parameters)
            for domain, tool in self._catalogue.tools()
            if domain in domains and tool.name in schemas
        }
        return {**theirs, **offered}

    def _offer(self, name: str, schema: Mapping[str, Any]) -> Offer:
        """As `offer_of`; read once as long as the schema stays the same."""
        known = self._offers.get(name)
        if known is None or known[0] is not schema:
            known = self._offers[name] = schema, offer_of(name, schema)
        return known[1]

    def foresee(self, items: str | Sequence[Any], offers: Sequence[Offer], now: datetime) -> Call | None:
        """The read with which any assistant would begin; None unless the question plainly asks for it.

        Arguments as of `decide`.
        """
        self.load()
        assert self._mind is not None
        offered = {offer.name: offer for offer in offers if offer.name not in UTILITIES}
        more = offered.pop(MORE, None)
        if not offered or not offered.keys() <= self._catalogue.names:
            return None
        known = self._with_hidden(offered) if more else offered
        specialist, turns = Specialist(self._mind, known, now), read(items)
        if not specialist.plain(turns):
            return None
        acts = specialist.act(turns)
        call = acts[0] if len(acts) == 1 else None
        return call if isinstance(call, Call) and call.name in self._catalogue.reads & offered.keys() else None

    def count(self, *texts: str) -> int:
        """Tokens of texts: an estimate by the tokenizer of the embeddings. What was counted lately is remembered."""
        return sum(self._counted(text) for text in texts)

    def _counted(self, text: str) -> int:
        key = hash(text)
        count = self._counts.get(key)
        if count is None:
            if len(self._counts) >= REMEMBERED:
                self._counts.clear()
            count = self._counts[key] = self._embedder.count_tokens(text)
        return count


class OfflineModel(Model):
    """No language model: the same input always gives the same acts.

    Args:
        brain: shared; the model itself costs nothing to make.
        zone: of the user.
        now: the clock, aware.
        delay: seconds between pieces of text; for tests and benchmarks.
    """

    def __init__(
        self, brain: OfflineBrain, zone: ZoneInfo, now: Callable[[], datetime] = utc_now, delay: float = 0.0
    ) -> None:
        self._brain, self._zone, self._now, self._delay = brain, zone, now, delay

    async def get_response(
        self,
        system_instructions: str | None,
        input: Input,
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> ModelResponse:
        """Answer at once."""
        with generation_span(model=NAME, model_config=CONFIG, disabled=tracing.is_disabled()) as span:
            output = self._output(input, tools)
            used = self._usage(system_instructions, input, tools, output)
            record(span, input, output, used, tracing)
            usage = Usage(
                requests=1,
                input_tokens=used.input_tokens,
                output_tokens=used.output_tokens,
                total_tokens=used.total_tokens,
                input_tokens_details=used.input_tokens_details,
                output_tokens_details=used.output_tokens_details,
            )
            return ModelResponse(output=output, usage=usage, response_id=None)

    async def stream_response(
        self,
        system_instructions: str | None,
        input: Input,
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """Answer in pieces; the loop may turn between them."""
        with generation_span(model=NAME, model_config=CONFIG, disabled=tracing.is_disabled()) as span:
            output = self._output(input, tools)

            def usage() -> ResponseUsage:
                used = self._usage(system_instructions, input, tools, output)
                record(span, input, output, used, tracing)
                return used

            for event in replies.events(output, NAME, usage):
                yield event
                if isinstance(event, ResponseTextDeltaEvent):
                    await asyncio.sleep(self._delay)

    def _output(self, input: Input, tools: list[Tool]) -> list[TResponseOutputItem]:
        offers = [offer(tool) for tool in tools if isinstance(tool, FunctionTool)]
        return replies.items(self._brain.decide(input, offers, self._now().astimezone(self._zone)))

    def _usage(
        self, system: str | None, input: Input, tools: list[Tool], output: list[TResponseOutputItem]
    ) -> ResponseUsage:
        items = [input] if isinstance(input, str) else [json.dumps(i, ensure_ascii=False, default=str) for i in input]
        functions = [tool for tool in tools if isinstance(tool, FunctionTool)]
        shown = [f"{one.name} {one.description} {json.dumps(one.params_json_schema)}" for one in functions]
        entered = self._brain.count(system or "", *items, *shown)
        left = self._brain.count(*(item.model_dump_json(include={"content", "name", "arguments"}) for item in output))
        return ResponseUsage(
            input_tokens=entered,
            output_tokens=left,
            total_tokens=entered + left,
            input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
            output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
        )


def offer(tool: FunctionTool) -> Offer:
    """A tool as the assistant sees it."""
    return offer_of(tool.name, tool.params_json_schema, tool.description)


def offer_of(name: str, schema: Mapping[str, Any], description: str = "") -> Offer:
    """A tool of a parameter schema, as the assistant sees it."""
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    maximum = {name: int(one["maximum"]) for name, one in properties.items() if "maximum" in one}
    return Offer(name, frozenset(properties), frozenset(schema.get("required", ())), maximum, description, properties)


def record(
    span: Span[GenerationSpanData],
    input: Input,
    output: list[TResponseOutputItem],
    used: ResponseUsage,
    tracing: ModelTracing,
) -> None:
    """What the call's span says."""
    if tracing.include_data():
        span.span_data.input = (
            [{"role": "user", "content": input}] if isinstance(input, str) else [dict(i) for i in input]
        )
        span.span_data.output = [item.model_dump() for item in output]
    span.span_data.usage = used.model_dump()

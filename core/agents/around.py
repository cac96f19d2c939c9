"""A model around another model: the SDK's long signature as one value, for wrappers that change the answer."""

from abc import abstractmethod
from collections.abc import AsyncIterator
from dataclasses import dataclass

from agents import AgentOutputSchemaBase, Handoff, ModelResponse, ModelSettings, Tool
from agents.items import TResponseInputItem, TResponseStreamEvent
from agents.models.interface import Model, ModelTracing
from agents.retry import ModelRetryAdvice, ModelRetryAdviceRequest
from openai.types.responses.response_prompt_param import ResponsePromptParam


@dataclass(frozen=True)
class Request:
    """What the SDK asks of a model, in the SDK's order."""

    system_instructions: str | None
    input: str | list[TResponseInputItem]
    model_settings: ModelSettings
    tools: list[Tool]
    output_schema: AgentOutputSchemaBase | None
    handoffs: list[Handoff]
    tracing: ModelTracing
    previous_response_id: str | None
    conversation_id: str | None
    prompt: ResponsePromptParam | None

    @property
    def tool_names(self) -> frozenset[str]:
        """The functions that the model may call, handoffs included."""
        return frozenset([tool.name for tool in self.tools] + [handoff.tool_name for handoff in self.handoffs])

    def stream(self, model: Model) -> AsyncIterator[TResponseStreamEvent]:
        """Ask a model, streaming."""
        return model.stream_response(
            self.system_instructions,
            self.input,
            self.model_settings,
            self.tools,
            self.output_schema,
            self.handoffs,
            self.tracing,
            previous_response_id=self.previous_response_id,
            conversation_id=self.conversation_id,
            prompt=self.prompt,
        )

    async def answer(self, model: Model) -> ModelResponse:
        """Ask a model for a whole answer."""
        return await model.get_response(
            self.system_instructions,
            self.input,
            self.model_settings,
            self.tools,
            self.output_schema,
            self.handoffs,
            self.tracing,
            previous_response_id=self.previous_response_id,
            conversation_id=self.conversation_id,
            prompt=self.prompt,
        )


class Around(Model):
    """Base of the wrappers: they say what becomes of a `Request`, streamed or not."""

    def __init__(self, inner: Model) -> None:
        self.inner = inner

    @abstractmethod
    def stream(self, request: Request) -> AsyncIterator[TResponseStreamEvent]:
        """The events of the inner model, changed."""

    @abstractmethod
    async def answer(self, request: Request) -> ModelResponse:
        """The answer of the inner model, changed."""

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
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
        """See `Model`."""
        request = Request(
            system_instructions,
            input,
            model_settings,
            tools,
            output_schema,
            handoffs,
            tracing,
            previous_response_id,
            conversation_id,
            prompt,
        )
        return await self.answer(request)

    def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
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
        """See `Model`."""
        request = Request(
            system_instructions,
            input,
            model_settings,
            tools,
            output_schema,
            handoffs,
            tracing,
            previous_response_id,
            conversation_id,
            prompt,
        )
        return self.stream(request)

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        """See `Model`."""
        return self.inner.get_retry_advice(request)

    async def close(self) -> None:
        """See `Model`."""
        await self.inner.close()

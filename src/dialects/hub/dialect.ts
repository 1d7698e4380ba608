/**
 * A dialect consists of four pure parts, its errors and its capabilities. To add one, implement
 * this type (docs/dialects.md).
 */
import type { Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { HubAnswer } from './answer/answer.ts';
import type { HubEvent } from './answer/events.ts';
import type { StreamFrame, WireError } from './answer/frames.ts';
import type { MediaSource } from './blocks.ts';
import type { ClientCapabilities, UpstreamCapabilities } from './capabilities.ts';
import type { HubRequest, Tool } from './request/request.ts';

/** Dialects that clients can use. */
export type DialectName = 'chat' | 'anthropic' | 'gemini' | 'responses';

/** Converse and the protocols of single services are used only with upstreams. */
export type UpstreamDialectName =
  | DialectName
  | 'converse'
  | 'dify'
  | 'coze'
  | 'ollama'
  | 'baidu'
  | 'hunyuan'
  | 'library'
  | 'cohere';

/** Request data outside the body: Gemini has model and streaming in the path. */
export interface PathParams {
  readonly model?: string;
  readonly stream?: boolean;
}

/** The upstream a request is written for. Each writer reads the fields it needs. */
export interface RequestTarget {
  /** The upstream's model name. */
  readonly model: string;
  readonly stream: boolean;
  readonly chat?: ChatTarget;
  readonly anthropic?: AnthropicTarget;
  readonly gemini?: GeminiTarget;
  readonly app?: AppTarget;
}

/** Applications (Dify, Coze) that keep the conversation themselves. */
export interface AppTarget {
  /** The channel's field `other`: Coze's bot, or the type of a Dify application. */
  readonly other: string;
  /** The user id to send if the request has none. */
  readonly user: string;
  /** The id of a file uploaded for this call. */
  readonly uploadedId?: (source: MediaSource) => string | undefined;
}

export interface ChatTarget {
  /** Fields not defined by OpenAI are rejected: no reasoning, no signatures in the history. */
  readonly strict?: boolean;
  /** Cache breakpoints are supported (OpenRouter). */
  readonly cacheMarks?: boolean;
  /** System messages are accepted only at the start. */
  readonly systemFirst?: boolean;
  /** Turns with tool calls must include their reasoning, even if blank (Kimi, DeepSeek). */
  readonly needsReasoning?: boolean;
  /** The model supports `reasoning_effort`. */
  readonly takesEffort?: boolean;
}

export interface AnthropicTarget {
  /** Used if the request sets no limit, because Anthropic requires one. */
  readonly defaultMaxTokens: number;
}

export interface GeminiTarget {
  /** Threshold by harm category; `default` applies to the others. */
  readonly safety?: Readonly<Record<string, string>>;
  /** The model also returns images. */
  readonly outputsImages?: boolean;
  /** Stored signatures of tool calls, for clients whose dialect has no field for them. */
  readonly signatureOf?: (callId: string) => string | undefined;
}

/** Context for reading and writing an answer. */
export interface AnswerContext {
  /** Unique per call; generated ids are derived from it. */
  readonly id: string;
  readonly createdSec: number;
  /** The time at which the answer is complete; absent: `createdSec`. */
  readonly nowSec?: () => number;
  /** The model name the client requested. */
  readonly model: string;
  /** The request's tools, used to restore names that were changed. */
  readonly tools: readonly Tool[];
  /** Number of answers requested; absent: one. */
  readonly choices?: number;
  /** A chat client requested the usage of a stream. */
  readonly wantsUsage?: boolean;
  /** Estimated prompt tokens, for dialects that start a stream with them. */
  readonly promptTokens?: number;
  /** The client's request; answers of the Responses dialect repeat its settings. */
  readonly requestBody?: JsonObject;
  /** Gemini's alternative stream format: the elements of one JSON array. */
  readonly asList?: boolean;
}

/** Decodes the frames of one stream, in order. */
export interface Decoder {
  decode(frame: StreamFrame): readonly HubEvent[];
  /** The remaining events when the connection ends. */
  end(): readonly HubEvent[];
  /** The upstream has reported the stop reason. */
  readonly isComplete: boolean;
  /** No further events can follow. */
  readonly isOver: boolean;
  /** Ids under which the upstream has stored answers so far. */
  readonly keptIds?: readonly string[];
  /** The final error frames of a forwarded stream that broke; they continue its numbering. */
  failure?(error: WireError): string;
}

/** Encodes the frames of one stream. `end` writes the closing frames, which may contain usage. */
export interface Encoder {
  encode(events: readonly HubEvent[]): string;
  /** `usage`: reported by the upstream or counted by the gateway. */
  end(usage?: Usage): string;
  /** The final frames of a stream that broke. */
  fail(error: WireError): string;
  /** A keep-alive frame, so that proxies do not close the connection. */
  ping(): string;
  /** The items of the answer, complete after `end`, in dialects whose clients refer to them. */
  readonly items?: readonly JsonObject[];
}

/** The client's and the upstream's dialect of a call. */
export interface DialectPair {
  readonly client: Dialect;
  readonly upstream: UpstreamDialect;
  /** Both dialects are the same: bytes are forwarded and only inspected. */
  readonly isSame: boolean;
}

/** The functions the relay needs to use a dialect with an upstream. */
export interface UpstreamDialect extends UpstreamCapabilities {
  readonly name: UpstreamDialectName;
  /** Requests have `max_tool_calls`, which some providers keep to. */
  readonly limitsToolCalls?: true;
  /** @throws AppError field_wrong for values that the upstream does not support */
  writeRequest(request: HubRequest, target: RequestTarget): JsonObject;
  readAnswer(json: JsonObject, context: AnswerContext): HubAnswer;
  decoder(context: AnswerContext): Decoder;
  /** The error in a response that contains one, whatever its HTTP status. */
  readError(json: unknown): UpstreamError | undefined;
}

/** A dialect that clients can use as well. */
export interface Dialect extends UpstreamDialect, ClientCapabilities {
  readonly name: DialectName;
  /** @throws AppError field_missing, field_wrong */
  readRequest(body: JsonObject, pathParams?: PathParams): HubRequest;
  writeAnswer(answer: HubAnswer, context: AnswerContext): JsonObject;
  encoder(context: AnswerContext): Encoder;
  writeError(error: WireError): JsonObject;
}

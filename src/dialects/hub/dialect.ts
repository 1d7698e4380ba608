/** What a dialect is: four pure parts, its errors, and its capabilities. A new one is an object of this type (docs/dialects.md). */
import type { Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { HubAnswer } from './answer.ts';
import type { MediaSource } from './blocks.ts';
import type { ClientCapabilities, UpstreamCapabilities } from './capabilities.ts';
import type { HubEvent } from './events.ts';
import type { HubRequest, Tool } from './request.ts';

/** What clients speak. */
export type DialectName = 'chat' | 'anthropic' | 'gemini' | 'responses';

/** No client speaks Amazon's Converse, nor the own protocols of single services. */
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

/** What stands outside the body: Gemini names model and streaming in the path. */
export interface PathParams {
  readonly model?: string;
  readonly stream?: boolean;
}

/** The upstream a request is written for. Each writer reads what concerns it. */
export interface RequestTarget {
  /** The upstream's name of the model. */
  readonly model: string;
  readonly stream: boolean;
  readonly chat?: ChatTarget;
  readonly anthropic?: AnthropicTarget;
  readonly gemini?: GeminiTarget;
  readonly app?: AppTarget;
}

/** Applications (Dify, Coze), which keep the conversation themselves. */
export interface AppTarget {
  /** What the channel's field `other` says: Coze's bot, the kind of a Dify application. */
  readonly other: string;
  /** Who asks, where the request does not say. */
  readonly user: string;
  /** The id of a file that was uploaded for this call. */
  readonly uploadedId?: (source: MediaSource) => string | undefined;
}

export interface ChatTarget {
  /** Fields beyond OpenAI's own are refused: no reasoning, no signatures in the history. */
  readonly strict?: boolean;
  /** Cache marks are understood (OpenRouter). */
  readonly cacheMarks?: boolean;
  /** System messages are refused anywhere but at the start. */
  readonly systemFirst?: boolean;
  /** Turns that called a tool must bring their reasoning back, be it blank (Kimi, DeepSeek). */
  readonly needsReasoning?: boolean;
  /** The model knows `reasoning_effort`. */
  readonly takesEffort?: boolean;
}

export interface AnthropicTarget {
  /** For requests that set no limit: Anthropic demands one. */
  readonly defaultMaxTokens: number;
}

export interface GeminiTarget {
  /** Threshold by harm category; `default` for those not named. */
  readonly safety?: Readonly<Record<string, string>>;
  /** The model answers with pictures as well. */
  readonly drawsImages?: boolean;
  /** Remembered signatures of calls whose client has no field for them. */
  readonly signatureOf?: (callId: string) => string | undefined;
}

/** What an answer is read and written with. */
export interface AnswerContext {
  /** Unique for this call; ids are made from it. */
  readonly id: string;
  readonly createdSec: number;
  /** The name the client asked for. */
  readonly model: string;
  /** The tools of the request: names that had to be changed are changed back. */
  readonly tools: readonly Tool[];
  /** Answers that were asked for at once; absent: one. */
  readonly choices?: number;
  /** A chat client asked for the usage of a stream. */
  readonly wantsUsage?: boolean;
  /** Estimated prompt, for dialects that open a stream with it. */
  readonly promptTokens?: number;
  /** The request as it was sent: answers of the Responses dialect repeat its settings. */
  readonly asked?: JsonObject;
  /** Gemini's second form of a stream: the elements of one JSON list. */
  readonly asList?: boolean;
}

/** One frame of a stream, as the SSE reader gives it. */
export interface StreamFrame {
  /** '' when the frame names none. */
  readonly event: string;
  readonly data: string;
}

/** Reads the frames of one stream, in order. */
export interface Decoder {
  decode(frame: StreamFrame): readonly HubEvent[];
  /** What is still owed when the connection ends. */
  end(): readonly HubEvent[];
  /** The upstream has said how the answer ended. */
  readonly isComplete: boolean;
  /** Nothing can follow. */
  readonly isOver: boolean;
  /** Ids under which the upstream keeps what it answered, so far. */
  readonly keptIds?: readonly string[];
  /** The last frames for a stream that went on as it came and broke: they continue its numbers. */
  failure?(error: WireError): string;
}

/** Writes the frames of one stream. The closing ones wait for `end`: they may bear the bill. */
export interface Encoder {
  encode(events: readonly HubEvent[]): string;
  /** `usage`: the upstream's, or the gateway's own count. */
  end(usage?: Usage): string;
  /** The last frames of a stream that broke. */
  fail(error: WireError): string;
  /** Keeps proxies awake. */
  ping(): string;
}

export interface WireError {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly requestId?: string;
}

/** What the relay needs of a dialect to speak it to an upstream. */
export interface UpstreamDialect extends UpstreamCapabilities {
  readonly name: UpstreamDialectName;
  /** @throws AppError field_wrong for what the upstream cannot be told */
  writeRequest(request: HubRequest, target: RequestTarget): JsonObject;
  readAnswer(json: JsonObject, context: AnswerContext): HubAnswer;
  decoder(context: AnswerContext): Decoder;
  /** The error of an answer that is one, by whatever status it came. */
  readError(json: unknown): UpstreamError | undefined;
}

/** A dialect that clients speak as well. */
export interface Dialect extends UpstreamDialect, ClientCapabilities {
  readonly name: DialectName;
  /** @throws AppError field_missing, field_wrong */
  readRequest(body: JsonObject, asked?: PathParams): HubRequest;
  writeAnswer(answer: HubAnswer, context: AnswerContext): JsonObject;
  encoder(context: AnswerContext): Encoder;
  writeError(error: WireError): JsonObject;
}

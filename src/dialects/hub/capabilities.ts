/**
 * How dialects differ apart from their request and answer formats. The relay reads these fields of
 * a dialect and never compares dialect names.
 */
import type { OptionValues } from '../../domain/options/registry.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { ForwardingReaders } from './answer/answer-reader.ts';
import type { Vendor } from './extras.ts';
import type { LimitHeaders } from './limit-headers.ts';
import type { FetchedMedia } from './request/media.ts';
import type { HubRequest } from './request/request.ts';
import type { Reasoning } from './thinking/reasoning.ts';

/** Capabilities of a dialect used with upstreams. */
export interface UpstreamCapabilities {
  /** OpenAI's own: a request is read into the hub only where it is translated. */
  readonly isNative?: true;
  /** The upstream endpoint; absent: the endpoint the client called. Servers may not offer it. */
  readonly endpoint?: 'responses';
  /** Another dialect that servers of this one may offer as well. */
  readonly alternative?: 'responses';
  /** The set of the provider's request body rules that applies to this dialect. */
  readonly bodyRules?: 'chat' | 'completions' | 'responses';
  /** Upstreams store answers: requests may refer to earlier ones and may run in the background. */
  readonly keepsAnswers?: true;
  /** Tool calls in the history must include their original signatures. */
  readonly needsSignatures?: true;
  /** A refusal after which the request is sent once more without the vendor's thinking. */
  readonly thinkingRefusal?: {
    readonly vendor: Vendor;
    isThis(error: UpstreamError): boolean;
  };
  /** How the answer limit is set; absent: as in the request. */
  readonly limit?: LimitRule;
  /** Whether upstreams fetch media from this URL; absent: they fetch any URL. */
  readsMediaAt?(url: string): boolean;
  /**
   * Headers besides the provider's. `sent`: the client's, if it uses the same dialect; `request`: the
   * one that is translated.
   */
  requestHeaders?(
    options: OptionValues,
    model: string,
    sent: ClientHeaders | undefined,
    request: HubRequest | undefined,
  ): Readonly<Record<string, string>>;
  /** The settings encoded in a model name's suffix; undefined for a name without one. */
  readThinkingName?(
    options: OptionValues,
    name: string,
    maxTokens: number | undefined,
  ): ThinkingName | undefined;
}

export type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ThinkingName {
  /** Without the suffix. */
  readonly model: string;
  readonly maxTokens?: number;
  readonly reasoning: Reasoning;
}

export interface LimitRule {
  /** Requests have no field for a limit. */
  readonly isAbsent?: true;
  /** The minimum limit. */
  readonly least?: number;
  /** The limit written for `request`; it is required and includes reasoning. */
  written?(options: OptionValues, model: string, request: HubRequest): number;
}

/** Capabilities of a dialect used by clients. */
export interface ClientCapabilities {
  /** The endpoint's name in logs. */
  readonly endpointName: string;
  /** The path of requests, with `{model}` if the path contains the model. */
  readonly route: string;
  /** The error definition's field with this dialect's status, if it differs from the usual one. */
  readonly errorStatus?: 'responsesStatus';
  readonly limitHeaders?: LimitHeaders;
  /** Streams start with the number of prompt tokens. */
  readonly opensWithPromptTokens?: true;
  /** Answers repeat the settings of the request. */
  readonly repeatsRequest?: true;
  /** Streams cannot contain comments. */
  readonly refusesComments?: true;
  /** Some providers of another dialect also serve this one, at a different path. */
  readonly hasTwinPaths?: true;
  readonly embeddings?: EmbeddingForm;
  readonly forwarding: Forwarding;
  readonly usageFields: UsageFields;
  /** The request with this answer limit. `chatField`: the field's name in chat completions. */
  withLimit(body: JsonObject, tokens: number, chatField: string): JsonObject;
  /**
   * The request with at most this many uses of the vendor's tools; undefined if it cannot do without
   * a use. Absent: it has no such field.
   */
  withToolUses?(body: JsonObject, uses: number): JsonObject | undefined;
}

/** Embedding requests in the dialect's own format. */
export interface EmbeddingForm {
  /** @throws AppError field_missing */
  requests(sent: JsonObject, isBatch: boolean): readonly JsonObject[];
  /** Converts to an OpenAI request. @throws AppError field_missing, field_wrong */
  read(requests: readonly JsonObject[], model: string): JsonObject;
}

/** How requests and answers pass between a client and an upstream of the same dialect. */
export interface Forwarding {
  /** Absent: the path contains the model. */
  readonly bodyNamesModel?: true;
  /** The request adapted to this channel. */
  request(body: JsonObject, changes: ForwardChanges): JsonObject;
  /** How answers are forwarded: by readers of the dialect, or by its decoder, with these changes. */
  readonly answers: ForwardingReaders | DecodedForwarding;
}

/** Answers that the dialect's decoder inspects. */
export interface DecodedForwarding {
  /** The decoder state from which frames are held back until settlement. */
  readonly holdsWhen: 'isOver' | 'isComplete';
  /** A whole answer with the client's model name. */
  renameAnswer(answer: JsonObject, model: string): JsonObject;
  renameFrame(frame: JsonObject, model: string): JsonObject;
  /** Renames within the text of a frame; undefined if the frame must be parsed first. */
  renameText?(data: string, model: string): string | undefined;
}

export interface ForwardChanges {
  readonly upstreamModel: string;
  /** The channel's system prompt; '' for none. */
  readonly systemPrompt: string;
  /** The settings encoded in the model name's suffix. */
  readonly thinking: Omit<ThinkingName, 'model'> | undefined;
  /** Fetched media by URL. */
  readonly media: ReadonlyMap<string, FetchedMedia> | undefined;
  /** Without earlier thinking of the upstream's vendor. */
  readonly dropsThinking: boolean;
}

/** Writes usage into answers and frames. */
export interface UsageFields {
  /** Sets the usage of a whole answer. */
  answer(json: JsonObject, usage: Usage): JsonObject;
  /** Sets the usage of the stream frame that reports it; undefined for all other frames. */
  frame(frame: JsonObject, usage: Usage): JsonObject | undefined;
}

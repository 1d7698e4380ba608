/**
 * What dialects differ in besides the forms of their requests and answers. The relay reads these fields
 * of a dialect's row; it never compares a dialect's name.
 */
import type { OptionValues } from '../../domain/options/registry.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { LimitHeaders } from './limit-headers.ts';
import type { FetchedMedia } from './media.ts';
import type { Reasoning } from './reasoning.ts';
import type { HubRequest } from './request.ts';

/** Of a dialect that upstreams speak. */
export interface UpstreamCapabilities {
  /** The relay's own form: validated, read and forwarded without the hub where both sides speak it. */
  readonly isNative?: true;
  /** The endpoint it is served at; absent: the one that the client called. Servers may lack it. */
  readonly endpoint?: 'responses';
  /** A dialect that servers of this one may offer as well. */
  readonly alternative?: 'responses';
  /** The provider's rules for request bodies that apply to it. */
  readonly bodyRules?: 'chat' | 'responses';
  /** Upstreams keep answers: requests may refer to earlier ones and may run in the background. */
  readonly keepsAnswers?: true;
  /** Tool calls of the history must bring the signatures that they came with. */
  readonly needsSignatures?: true;
  /** How long an answer may get; absent: as long as the request says. */
  readonly limit?: LimitRule;
  /** Whether upstreams fetch the media at this address; absent: they fetch all. */
  readsMediaAt?(url: string): boolean;
  /** Headers besides those of the provider. `sent`: the client's, where it speaks the same dialect. */
  requestHeaders?(
    options: OptionValues,
    model: string,
    sent: ClientHeaders | undefined,
  ): Readonly<Record<string, string>>;
  /** What the ending of a model's name sets; undefined for an ordinary name. */
  readThinkingName?(
    options: OptionValues,
    name: string,
    maxTokens: number | undefined,
  ): ThinkingName | undefined;
}

export type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ThinkingName {
  /** Without the ending. */
  readonly model: string;
  readonly maxTokens?: number;
  readonly reasoning: Reasoning;
}

export interface LimitRule {
  /** Requests have no field for a limit. */
  readonly isAbsent?: true;
  /** The least it may be. */
  readonly least?: number;
  /** What is written for `request`: a limit is required, and reasoning counts towards it. */
  written?(options: OptionValues, model: string, request: HubRequest): number;
}

/** Of a dialect that clients speak. */
export interface ClientCapabilities {
  /** The endpoint's name in logs. */
  readonly endpointName: string;
  /** The path of its requests; `{model}` where the path names the model. */
  readonly route: string;
  /** Field of an error with the status that this dialect has instead of the usual one. */
  readonly errorStatus?: 'anthropicStatus';
  readonly limitHeaders?: LimitHeaders;
  /** Streams open with the number of prompt tokens. */
  readonly opensWithPromptTokens?: true;
  /** Answers repeat the settings of the request. */
  readonly repeatsRequest?: true;
  /** Streams cannot carry comments. */
  readonly refusesComments?: true;
  /** Some providers of another family serve it too, at another path. */
  readonly hasTwinPaths?: true;
  readonly embeddings?: EmbeddingForm;
  readonly forwarding: Forwarding;
  readonly usageFields: UsageFields;
  /** The same request with this answer limit. `chatField`: the field's name in chat completions. */
  withLimit(body: JsonObject, tokens: number, chatField: string): JsonObject;
}

/** Requests for embeddings in a form of the dialect's own. */
export interface EmbeddingForm {
  /** @throws AppError field_missing */
  requests(sent: JsonObject, isBatch: boolean): readonly JsonObject[];
  /** As OpenAI's request. @throws AppError field_missing, field_wrong */
  read(requests: readonly JsonObject[], model: string): JsonObject;
}

/** How requests and answers pass between a client and an upstream of the same dialect. */
export interface Forwarding {
  /** Absent: the path names the model. */
  readonly bodyNamesModel?: true;
  /** From here on frames wait for the settlement. */
  readonly holdsWhen: 'isOver' | 'isComplete';
  /** The request for this channel. */
  request(body: JsonObject, changes: ForwardChanges): JsonObject;
  /** A whole answer under the client's name of the model. */
  renameAnswer(answer: JsonObject, model: string): JsonObject;
  renameFrame(frame: JsonObject, model: string): JsonObject;
  /** The same on the text of a frame; undefined where it must be parsed for that. */
  renameText?(data: string, model: string): string | undefined;
}

export interface ForwardChanges {
  readonly upstreamModel: string;
  /** Of the channel; '' for none. */
  readonly systemPrompt: string;
  /** What the ending of the model's name sets. */
  readonly thinking: Omit<ThinkingName, 'model'> | undefined;
  /** By address, what stands there. */
  readonly media: ReadonlyMap<string, FetchedMedia> | undefined;
  readonly dropsProofs: boolean;
}

/** Where the usage stands. */
export interface UsageFields {
  /** Into a whole answer. */
  answer(json: JsonObject, usage: Usage): JsonObject;
  /** Into the frame of a stream that reports the usage; undefined for all other frames. */
  frame(frame: JsonObject, usage: Usage): JsonObject | undefined;
}

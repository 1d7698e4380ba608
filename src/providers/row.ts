/**
 * What the gateway knows of a provider, as data. A new provider that speaks the OpenAI dialect is one
 * row and one fixture; the code that reads the rows asks a row's columns, never a row's number.
 */

import type { AddressForm, OtherFieldName } from '../domain/channels/channel-form.ts';
import { channelTypeOf } from '../domain/channels/channel-types.ts';
import type { ConversionName } from './conversions/all.ts';

/** The path that OpenAI gives each endpoint, below the version segment. */
export const ENDPOINT_PATHS = {
  chat: '/chat/completions',
  completions: '/completions',
  embeddings: '/embeddings',
  moderations: '/moderations',
  models: '/models',
  images: '/images/generations',
  imageEdits: '/images/edits',
  imageVariations: '/images/variations',
  speech: '/audio/speech',
  transcriptions: '/audio/transcriptions',
  translations: '/audio/translations',
  rerank: '/rerank',
  responses: '/responses',
  realtime: '/realtime?model={model}',
} as const;

export type ProviderEndpoint = keyof typeof ENDPOINT_PATHS;
export type Paths = Readonly<Partial<Record<ProviderEndpoint, string>>>;

/**
 * Which wire the provider speaks: 'task' is submit and poll, `converse` is Amazon's, the last seven are
 * one service's own.
 */
export type ProviderFamily =
  | 'openai'
  | 'claude'
  | 'gemini'
  | 'converse'
  | 'task'
  | 'dify'
  | 'coze'
  | 'ollama'
  | 'baidu'
  | 'hunyuan'
  | 'library'
  | 'cohere';

/**
 * How it is addressed, proven and framed (`transports`). `plain`: base URL and path are joined, the
 * key is a header. `full`: the same, and the base URL is the whole address, `{model}` and all.
 * `origin`: the path hangs on the base URL's server, whatever path that has.
 */
export type TransportName =
  | 'plain'
  | 'full'
  | 'origin'
  | 'azure'
  | 'bedrock'
  | 'vertex'
  | 'baidu'
  | 'tencent';

export type AuthStyle = 'bearer' | 'api-key' | 'x-api-key' | 'x-goog-api-key';

/** `reader` names a function in `balance.ts`; several calls are read together. */
export interface BalanceRow {
  readonly reader:
    | 'billing'
    | 'credit_grants'
    | 'ai_proxy'
    | 'openrouter'
    | 'moonshot'
    | 'siliconflow'
    | 'deepseek'
    | 'openai_sb';
  /** `{key}` in one is replaced by the key. */
  readonly paths: readonly string[];
  /** Asked here instead of at the channel's base URL. */
  readonly baseUrl?: string;
  /** The header that carries the bare key, where it is not the channel's usual one. */
  readonly keyHeader?: string;
}

/** What a provider demands of the messages of a chat; see `shape-messages.ts`. */
export interface HistoryRules {
  /** System messages only at the start: later ones are moved there. */
  readonly systemFirst?: true;
  /** Neighbours of one role become one message. */
  readonly alternates?: true;
  /** Turns that called a tool must bring their reasoning back, be it blank. */
  readonly needsReasoning?: true;
  /** Fields of messages it refuses. */
  readonly drop?: readonly string[];
  /** Fields of a tool's `function` it refuses. */
  readonly dropFromTools?: readonly string[];
  /** Ids of tool calls have exactly so many letters and digits. */
  readonly callIdLength?: number;
  /** The results of tools must be followed by the assistant, never by the user. */
  readonly assistantAfterTools?: true;
}

/** What a row becomes for channels whose key, or whose field `other`, has a certain form. */
export interface Variant {
  /** The form in words, for the list of types. */
  readonly means: string;
  readonly key?: RegExp;
  readonly other?: RegExp;
  readonly row: Partial<ProviderRow>;
}

/** What the channel's field `other` holds. */
export interface OtherField {
  /** By this word the console asks for it, in the reader's language. */
  readonly is: OtherFieldName;
  readonly means: string;
  /** No call can be made without it. */
  readonly isRequired?: true;
  /** All that it may hold, beside nothing. */
  readonly choices?: readonly string[];
  readonly example?: string;
  /** It is sent in this header. */
  readonly header?: string;
}

/** Where the provider also speaks Anthropic's Messages: their clients are forwarded as they are. */
export interface MessagesTwin {
  readonly path: string;
  /** Addresses that are known to have it, beside the row's own. */
  readonly hosts?: readonly string[];
}

export interface ProviderRow {
  /** The channel type. Below 1000 it is what existing installations store; ours start at 1001. */
  readonly type: number;
  readonly slug: string;
  readonly name: string;
  readonly family: ProviderFamily;
  /** Whether this release relays to it. */
  readonly supported: boolean;
  /** What an operator should know before choosing it. */
  readonly note?: string;
  /** Without trailing slash; '' when each channel must bring its own. */
  readonly baseUrl: string;
  /** Where transport and base URL do not tell it. */
  readonly address?: Extract<AddressForm, 'private' | 'beforeSuno'>;
  readonly auth: AuthStyle;
  /** The form of a key, in words; absent: one text. */
  readonly key?: string;
  /** The first that fits decides. */
  readonly variants?: readonly Variant[];
  readonly messages?: MessagesTwin;
  /** A key of two parts, `key|value`: the second goes into this header. */
  readonly keyPartHeader?: string;
  /** The channel works without a key. */
  readonly keyOptional?: true;
  readonly transport: TransportName;
  /**
   * An endpoint without a path is not offered. `{model}`, `{model/}` (its slashes are kept) and
   * `{other}` are filled in.
   */
  readonly paths: Paths;
  /** Models stand in the path in lower case. */
  readonly lowerCaseModel?: true;
  /** Where an endpoint has another path when a stream is asked for. */
  readonly streamPaths?: Paths;
  /** Models that live elsewhere: the first row whose prefix fits wins. */
  readonly pathsByModel?: readonly { readonly prefix: string; readonly paths: Paths }[];
  /** Endpoints where it speaks in words of its own. */
  readonly conversions?: Readonly<Partial<Record<ProviderEndpoint, ConversionName>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly other?: OtherField;
  /**
   * Token counts in streams: only when asked by `stream_options`, or always. `never`: what it reports,
   * if anything, means nothing, and the gateway counts.
   */
  readonly streamUsage: 'option' | 'always' | 'never';
  /**
   * It stops writing when the connection closes, bills what it had written, and all it writes is in the
   * stream, thoughts too: for a client that left after content nothing is read on. The hosted ones are
   * on OpenRouter's list (openrouter.ai/docs/api-reference/streaming, "Stream Cancellation"); the servers
   * of one's own bill nothing, and those of Ollama, vLLM and llama.cpp end a call whose connection closes.
   */
  readonly stopsWithClient?: true;
  /** Of events with a name only these belong to the answer; all others are told beside it. */
  readonly answerEvents?: readonly string[];
  /** It answers in streams only, or not well otherwise: a whole answer is added up here. */
  readonly streamOnly?: true;
  /** Thoughts stand in the text, between `<think>` tags. */
  readonly thinkTags?: true;
  /** Pictures are taken as bytes only: what stands at an address is fetched for it. */
  readonly mediaAsBytes?: true;
  /** What it demands of the history of a chat; see `shape-messages.ts`. */
  readonly history?: HistoryRules;
  /** Fields without which the arguments of tools come in one piece at the end of a stream. */
  readonly streamedTools?: Readonly<Record<string, unknown>>;
  /** JSON can be asked for, a schema cannot. */
  readonly jsonObjectOnly?: true;
  /** The only name of the output limit that it knows. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** `system`: it refuses the role `developer`. */
  readonly systemRole?: 'system';
  /** Request fields it refuses though clients and SDKs send them unasked. */
  readonly drop?: readonly string[];
  readonly rename?: Readonly<Record<string, string>>;
  /** Numbers it refuses at the ends of the range that OpenAI allows: [lowest, highest]. */
  readonly range?: Readonly<Record<string, readonly [number, number]>>;
  readonly balance?: BalanceRow;
  /** Offered when a channel is made; as of `MODELS_AS_OF` in `rows.ts`. */
  readonly models: readonly string[];
  /** The models are part of the protocol and not the operator's choice. */
  readonly fixedModels?: true;
}

/** OpenAI's own paths for these endpoints, under another prefix. */
export function under(prefix: string, ...endpoints: readonly ProviderEndpoint[]): Paths {
  return Object.fromEntries(endpoints.map((name) => [name, prefix + ENDPOINT_PATHS[name]]));
}

/** A list of names, written as one text with spaces between. */
export function spacedList(text: string): readonly string[] {
  return text.split(' ');
}

const ALL = Object.keys(ENDPOINT_PATHS) as ProviderEndpoint[]; // the keys of a constant table

/** What a server is offered that claims to be like OpenAI in everything. */
export const ALL_PATHS: Paths = under('/v1', ...ALL);

type Given = Pick<ProviderRow, 'type' | 'baseUrl' | 'models'> & Partial<ProviderRow>;

/** A provider of the OpenAI family: what the row does not say is as OpenAI has it. */
export function openAiRow(row: Given): ProviderRow {
  return {
    ...nameOf(row.type),
    ...USUAL,
    family: 'openai',
    supported: true,
    paths: ALL_PATHS,
    ...row,
  };
}

/** A provider that can be configured and kept, but not relayed to in this release. */
export function laterRow(row: Given & Pick<ProviderRow, 'family' | 'note'>): ProviderRow {
  return { ...nameOf(row.type), ...USUAL, supported: false, paths: {}, ...row };
}

/** A provider of tasks (`tasks/all.ts`): no endpoint of the model API leads to it. */
export function taskRow(row: Given): ProviderRow {
  const task = { family: 'task', supported: true, paths: {} } as const;
  return { ...nameOf(row.type), ...USUAL, ...task, ...row };
}

/** A provider with a dialect of its own, which the relay translates to. */
export function dialectRow(row: Given & Pick<ProviderRow, 'family' | 'paths'>): ProviderRow {
  return { ...nameOf(row.type), ...USUAL, supported: true, ...row };
}

const USUAL = { auth: 'bearer', transport: 'plain', streamUsage: 'option' } as const;

/** Name and slug stand in the domain's table of channel types, once. */
function nameOf(type: number): { readonly name: string; readonly slug: string } {
  const { name, slug } = channelTypeOf(type) ?? { name: `type ${type}`, slug: `type-${type}` };
  return { name, slug };
}

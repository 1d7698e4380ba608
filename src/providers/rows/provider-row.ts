/**
 * Provider definitions as data. A new OpenAI-compatible provider is one row and one fixture; code
 * reads the columns of a row and never checks its number.
 */

import type { AddressForm, OtherFieldName } from '../../domain/channels/channel-form.ts';
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import type { ConversionName } from '../conversions/all.ts';

/** OpenAI's path of each endpoint, without the version segment. */
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
 * The provider's protocol: `task` is submit and poll, `converse` is Amazon's; those after `task`
 * each belong to one service.
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
 * How requests are addressed, authenticated and framed (`transports`). `plain`: base URL and path
 * are joined, the key is a header. `full`: the same, but the base URL is the complete address and
 * may contain `{model}`. `origin`: the path is appended to the base URL's origin.
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

/** `reader` names a function in `balance.ts`, which gets the responses of all paths. */
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
  /** `{key}` in a path is replaced with the key. */
  readonly paths: readonly string[];
  /** Used instead of the channel's base URL. */
  readonly baseUrl?: string;
  /** The header with the bare key, if it differs from the channel's usual one. */
  readonly keyHeader?: string;
}

/** A provider's requirements for chat messages; see `shape-messages.ts`. */
export interface HistoryRules {
  /** System messages are allowed only at the start; later ones are moved there. */
  readonly systemFirst?: true;
  /** Adjacent messages of the same role are merged. */
  readonly alternates?: true;
  /** Turns with tool calls must include their reasoning, even if blank. */
  readonly needsReasoning?: true;
  /** Message fields the provider rejects. */
  readonly drop?: readonly string[];
  /** Fields of a tool's `function` the provider rejects. */
  readonly dropFromTools?: readonly string[];
  /** The exact number of letters and digits in tool call ids. */
  readonly callIdLength?: number;
  /** Tool results must be followed by the assistant, never by the user. */
  readonly assistantAfterTools?: true;
}

/** Changes to a row for channels whose key or field `other` has a certain format. */
export interface Variant {
  /** Description of the format, for the list of types. */
  readonly means: string;
  readonly key?: RegExp;
  readonly other?: RegExp;
  readonly row: Partial<ProviderRow>;
}

/** What the channel's field `other` contains. */
export interface OtherField {
  /** Selects the field's label in the console, which is translated. */
  readonly is: OtherFieldName;
  readonly means: string;
  /** No call can be made without it. */
  readonly isRequired?: true;
  /** All values allowed besides an empty one. */
  readonly choices?: readonly string[];
  readonly example?: string;
  /** The header in which the value is sent. */
  readonly header?: string;
}

/** Where the provider also serves Anthropic's Messages; such requests are forwarded unchanged. */
export interface MessagesEndpoint {
  readonly path: string;
  /** Other hosts that are known to serve it, besides the row's own. */
  readonly hosts?: readonly string[];
}

export interface ProviderRow {
  /** The channel type. Existing installations store numbers below 1000; ours start at 1001. */
  readonly type: number;
  readonly slug: string;
  readonly name: string;
  readonly family: ProviderFamily;
  /** Whether this release relays to it. */
  readonly supported: boolean;
  /** What operators should know before choosing the type. */
  readonly note?: string;
  /** Without trailing slash; '' if each channel must set its own. */
  readonly baseUrl: string;
  /** The form of the address, if transport and base URL do not imply it. */
  readonly address?: Extract<AddressForm, 'private' | 'beforeSuno'>;
  readonly auth: AuthStyle;
  /** Description of the key's format; absent: a single string. */
  readonly key?: string;
  /** The first matching variant applies. */
  readonly variants?: readonly Variant[];
  readonly messages?: MessagesEndpoint;
  /** For a key of two parts, `key|value`: the header of the second part. */
  readonly keyPartHeader?: string;
  /** The channel works without a key. */
  readonly keyOptional?: true;
  readonly transport: TransportName;
  /**
   * An endpoint without a path is not offered. `{model}`, `{model/}` (its slashes are kept) and
   * `{other}` are replaced.
   */
  readonly paths: Paths;
  /** Model names in paths are in lower case. */
  readonly lowerCaseModel?: true;
  /** Paths for streaming requests, if they differ. */
  readonly streamPaths?: Paths;
  /** Models with different paths: the first row with a matching prefix applies. */
  readonly pathsByModel?: readonly { readonly prefix: string; readonly paths: Paths }[];
  /** Endpoints with a format of the provider's own. */
  readonly conversions?: Readonly<Partial<Record<ProviderEndpoint, ConversionName>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly other?: OtherField;
  /**
   * When streams report usage: only if requested by `stream_options`, or always. `never`: reported
   * usage is meaningless, and the gateway counts itself.
   */
  readonly streamUsage: 'option' | 'always' | 'never';
  /**
   * The provider stops generating when the connection closes, bills only what it generated until
   * then, and streams everything it generates, including thinking. If the client disconnects after
   * it received content, the rest of the stream is therefore not read. The hosted providers are on
   * OpenRouter's list (openrouter.ai/docs/api-reference/streaming, "Stream Cancellation");
   * self-hosted servers bill nothing, and Ollama, vLLM and llama.cpp end a call whose connection
   * closes.
   */
  readonly stopsWithClient?: true;
  /** Of the named events, only these belong to the answer; others are additional information. */
  readonly answerEvents?: readonly string[];
  /** Only streaming works, or works well: whole answers are collected from a stream. */
  readonly streamOnly?: true;
  /** Thinking is part of the text, between `<think>` tags. */
  readonly thinkTags?: true;
  /** Images are accepted only as bytes, so the gateway fetches image URLs. */
  readonly mediaAsBytes?: true;
  /** Requirements for the chat history; see `shape-messages.ts`. */
  readonly history?: HistoryRules;
  /** Fields without which streams contain tool arguments in one piece at the end. */
  readonly streamedTools?: Readonly<Record<string, unknown>>;
  /** JSON mode is supported, but not JSON schemas. */
  readonly jsonObjectOnly?: true;
  /** The only supported name of the output limit. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** `system`: the role `developer` is rejected. */
  readonly systemRole?: 'system';
  /** Request fields the provider rejects, although clients and SDKs send them by default. */
  readonly drop?: readonly string[];
  readonly rename?: Readonly<Record<string, string>>;
  /** Numbers whose bounds in OpenAI's range are rejected: [lowest, highest]. */
  readonly range?: Readonly<Record<string, readonly [number, number]>>;
  readonly balance?: BalanceRow;
  /** Suggested for new channels; as of `MODELS_AS_OF` in `provider-rows.ts`. */
  readonly models: readonly string[];
  /** The models are part of the protocol; the operator cannot choose them. */
  readonly fixedModels?: true;
}

/** OpenAI's own paths of these endpoints, with another prefix. */
export function pathsOf(prefix: string, ...endpoints: readonly ProviderEndpoint[]): Paths {
  return Object.fromEntries(endpoints.map((name) => [name, prefix + ENDPOINT_PATHS[name]]));
}

/** A list of names, written as one string separated by spaces. */
export function spacedList(text: string): readonly string[] {
  return text.split(' ');
}

const ALL = Object.keys(ENDPOINT_PATHS) as ProviderEndpoint[]; // the keys of a constant table

/** The paths of servers that claim full compatibility with OpenAI. */
export const ALL_PATHS: Paths = pathsOf('/v1', ...ALL);

type RowFields = Pick<ProviderRow, 'type' | 'baseUrl' | 'models'> & Partial<ProviderRow>;

/** A provider of the OpenAI family; fields not given are as for OpenAI. */
export function openAiRow(row: RowFields): ProviderRow {
  return {
    ...nameOf(row.type),
    ...DEFAULTS,
    family: 'openai',
    supported: true,
    paths: ALL_PATHS,
    ...row,
  };
}

/** A provider that can be configured and stored, but to which this release does not relay. */
export function unsupportedRow(row: RowFields & Pick<ProviderRow, 'family' | 'note'>): ProviderRow {
  return { ...nameOf(row.type), ...DEFAULTS, supported: false, paths: {}, ...row };
}

/** Parameters of the error `provider_retired`; the locales word the reason (`retired_types`). */
export function retiredType({ type, name }: Pick<ProviderRow, 'type' | 'name'>) {
  return { type: name, reason: `type_${type}` };
}

/** A task provider (`tasks/all.ts`); no endpoint of the model API uses it. */
export function taskRow(row: RowFields): ProviderRow {
  const task = { family: 'task', supported: true, paths: {} } as const;
  return { ...nameOf(row.type), ...DEFAULTS, ...task, ...row };
}

/** A provider with its own dialect, to which the relay translates. */
export function dialectRow(row: RowFields & Pick<ProviderRow, 'family' | 'paths'>): ProviderRow {
  return { ...nameOf(row.type), ...DEFAULTS, supported: true, ...row };
}

const DEFAULTS = { auth: 'bearer', transport: 'plain', streamUsage: 'option' } as const;

/** Name and slug come from the domain's table of channel types. */
function nameOf(type: number): { readonly name: string; readonly slug: string } {
  const { name, slug } = channelTypeOf(type) ?? { name: `type ${type}`, slug: `type-${type}` };
  return { name, slug };
}

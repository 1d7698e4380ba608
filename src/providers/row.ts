/**
 * What the gateway knows of a provider, as data. A new provider that speaks the OpenAI dialect is one
 * row and one fixture; the code that reads the rows asks a row's columns, never a row's number.
 */

import { channelTypeOf } from '../domain/channel-types.ts';

/** The path that OpenAI gives each endpoint, below the version segment. */
export const ENDPOINT_PATHS = {
  chat: '/chat/completions',
  completions: '/completions',
  embeddings: '/embeddings',
  moderations: '/moderations',
  models: '/models',
  images: '/images/generations',
  speech: '/audio/speech',
  transcriptions: '/audio/transcriptions',
  translations: '/audio/translations',
  rerank: '/rerank',
  responses: '/responses',
} as const;

export type Endpoint = keyof typeof ENDPOINT_PATHS;
export type Paths = Readonly<Partial<Record<Endpoint, string>>>;

/** Which wire the provider speaks: 'own' is a protocol of its own, 'task' is submit and poll. */
export type Family = 'openai' | 'claude' | 'gemini' | 'task' | 'own';

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
    | 'deepseek';
  readonly paths: readonly string[];
  /** Asked here instead of at the channel's base URL. */
  readonly baseUrl?: string;
  /** The header that carries the bare key, where it is not the channel's usual one. */
  readonly keyHeader?: string;
}

export interface ProviderRow {
  /** The channel type. Below 1000 it is what existing installations store; ours start at 1001. */
  readonly type: number;
  readonly slug: string;
  readonly name: string;
  readonly family: Family;
  /** Whether this release relays to it. */
  readonly supported: boolean;
  /** What an operator should know before choosing it. */
  readonly note?: string;
  /** Without trailing slash; '' when each channel must bring its own. */
  readonly baseUrl: string;
  readonly auth: AuthStyle;
  /** The channel works without a key. */
  readonly keyOptional?: true;
  /**
   * `join`: base URL and path are joined. `full`: the base URL is the whole address, `{model}` and all.
   * `azure`: deployments and API versions.
   */
  readonly urlForm: 'join' | 'full' | 'azure';
  /** An endpoint without a path is not offered. `{model}` and `{other}` are filled in. */
  readonly paths: Paths;
  /** Models that live elsewhere: the first row whose prefix fits wins. */
  readonly pathsByModel?: readonly { readonly prefix: string; readonly paths: Paths }[];
  readonly headers?: Readonly<Record<string, string>>;
  /** What the channel's field `other` holds; `header` names the header it is sent in. */
  readonly other?: { readonly means: string; readonly header?: string };
  /** Token counts in streams: only when asked by `stream_options`, always, or not reliably at all. */
  readonly streamUsage: 'option' | 'always' | 'never';
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
export function under(prefix: string, ...endpoints: readonly Endpoint[]): Paths {
  return Object.fromEntries(endpoints.map((name) => [name, prefix + ENDPOINT_PATHS[name]]));
}

/** A list of names, written as one text with spaces between. */
export function names(text: string): readonly string[] {
  return text.split(' ');
}

const ALL = Object.keys(ENDPOINT_PATHS) as Endpoint[]; // the keys of a constant table

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

const USUAL = { auth: 'bearer', urlForm: 'join', streamUsage: 'option' } as const;

/** Name and slug stand in the domain's table of channel types, once. */
function nameOf(type: number): { readonly name: string; readonly slug: string } {
  const { name, slug } = channelTypeOf(type) ?? { name: `type ${type}`, slug: `type-${type}` };
  return { name, slug };
}

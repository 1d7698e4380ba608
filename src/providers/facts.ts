/** What there is to say of a channel type: for `GET /api/channel/types`, the command and the docs. */
import type { AddressForm, OtherFieldName } from '../domain/channels/channel-form.ts';
import { offersEndpoint } from './openai-request.ts';
import {
  ENDPOINT_PATHS,
  type OtherField,
  type ProviderEndpoint,
  type ProviderFamily,
  type ProviderRow,
} from './row.ts';
import { transportOf } from './transports/all.ts';

export interface ProviderFacts {
  readonly type: number;
  readonly slug: string;
  readonly name: string;
  /** Where calls go, in words or as an address. */
  readonly address: string;
  /** What is spoken to it. */
  readonly dialect: string;
  /** Endpoints of the model API that lead to it; none for providers of tasks. */
  readonly endpoints: readonly string[];
  /** The form of a key in words; '' for one text. */
  readonly keyForm: string;
  /** What the field `other` holds; '' for nothing. */
  readonly other: string;
  /** Forms of key and `other` that change what is spoken. */
  readonly variants: readonly string[];
  readonly tellsBalance: boolean;
  readonly listsModels: boolean;
  /** Clients of Anthropic's Messages are forwarded as they are. */
  readonly takesMessages: boolean;
  readonly note: string;
}

const DIALECTS: Readonly<Record<ProviderFamily, string>> = {
  openai: 'openai',
  claude: 'anthropic',
  gemini: 'gemini',
  converse: 'converse',
  task: 'tasks',
  dify: 'dify',
  coze: 'coze',
  ollama: 'ollama',
  baidu: 'wenxin',
  hunyuan: 'tencent cloud',
  library: 'aiproxy library',
  cohere: 'cohere',
};

const ENDPOINTS = Object.keys(ENDPOINT_PATHS) as ProviderEndpoint[]; // the keys of a constant table

export function providerFacts(row: ProviderRow): ProviderFacts {
  const families = transportOf(row).families ?? [row.family];
  const offered = ENDPOINTS.filter((endpoint) => offersEndpoint(row, endpoint));
  return {
    type: row.type,
    slug: row.slug,
    name: row.name,
    address: addressOf(row),
    dialect: families.map((family) => DIALECTS[family]).join(', '),
    endpoints: offered.filter((endpoint) => endpoint !== 'models'),
    keyForm: row.key ?? (row.keyOptional ? 'may be absent' : ''),
    other: row.other?.means ?? '',
    variants: (row.variants ?? []).map(({ means }) => means),
    tellsBalance: row.balance !== undefined,
    listsModels: offered.includes('models'),
    takesMessages: families.includes('claude') || row.messages !== undefined,
    note: row.note ?? '',
  };
}

/** What an editor must ask for, beside what it asks for every type. */
export interface ProviderForm {
  /** `needed`: without a base URL of the channel's own nothing can be called. */
  readonly address: { readonly form: AddressForm; readonly needed: boolean };
  /** null: the field `other` holds nothing. */
  readonly other: OtherForm | null;
}

export interface OtherForm {
  readonly is: OtherFieldName;
  readonly needed: boolean;
  /** All that it may hold beside nothing; empty for any text. */
  readonly choices: string[];
  readonly example: string;
}

export function providerForm(row: ProviderRow): ProviderForm {
  const form = addressFormOf(row);
  const needed = row.baseUrl === '' && row.supported && form !== 'regional';
  return { address: { form, needed }, other: row.other ? otherFormOf(row.other) : null };
}

function otherFormOf({ is, isRequired, choices = [], example = '' }: OtherField): OtherForm {
  return { is, needed: isRequired === true, choices: [...choices], example };
}

function addressFormOf(row: ProviderRow): AddressForm {
  if (row.address !== undefined) return row.address;
  if (row.transport === 'azure') return 'resource';
  if (row.transport === 'full') return 'full';
  if (transportOf(row).hasManyHosts) return 'regional';
  return row.keyOptional ? 'own' : 'usual';
}

function addressOf(row: ProviderRow): string {
  if (row.baseUrl !== '') return `\`${row.baseUrl}\``;
  return transportOf(row).hasManyHosts ? 'by region' : 'your own';
}

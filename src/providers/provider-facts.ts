/** Facts about a channel type for `GET /api/channel/types`, the command line and the docs. */
import type { AddressForm, OtherFieldName } from '../domain/channels/channel-form.ts';
import { offersEndpoint } from './requests/openai-request.ts';
import {
  ENDPOINT_PATHS,
  type OtherField,
  type ProviderEndpoint,
  type ProviderFamily,
  type ProviderRow,
} from './rows/provider-row.ts';
import { transportOf } from './transports/all.ts';

export interface ProviderFacts {
  readonly type: number;
  readonly slug: string;
  readonly name: string;
  /** Where requests go, as a description or a URL. */
  readonly address: string;
  /** The dialects used with the provider. */
  readonly dialect: string;
  /** Endpoints of the model API that the provider serves; none for task providers. */
  readonly endpoints: readonly string[];
  /** Description of the key's format; '' for a single string. */
  readonly keyForm: string;
  /** What the field `other` contains; '' for nothing. */
  readonly other: string;
  /** Formats of key and `other` that select a variant. */
  readonly variants: readonly string[];
  readonly tellsBalance: boolean;
  readonly listsModels: boolean;
  /** Requests of Anthropic's Messages are forwarded unchanged. */
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

/** Fields an editor must show in addition to those of every type. */
export interface ProviderForm {
  /** `needed`: no call can be made unless the channel sets a base URL. */
  readonly address: { readonly form: AddressForm; readonly needed: boolean };
  /** null: the field `other` is not used. */
  readonly other: OtherForm | null;
}

export interface OtherForm {
  readonly is: OtherFieldName;
  readonly needed: boolean;
  /** All values allowed besides an empty one; an empty list allows any text. */
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

/** Fixed responses: model lists, balances and moderations. */

import { CREATED_AT_SEC } from './chat-completions.ts';
import { type ModerationBody, textOf } from './request-fields.ts';

const MODELS = [
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-4o-cached',
  'gpt-4.1',
  'gpt-5.4-mini',
  'demo-reasoner',
  'gpt-3.5-turbo-instruct',
  'text-embedding-3-small',
  'text-embedding-3-large',
  'omni-moderation-latest',
] as const;

export interface Model {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

export const MODEL_LIST: readonly Model[] = MODELS.map((id) => ({
  id,
  object: 'model',
  created: CREATED_AT_SEC,
  owned_by: 'fake-upstream',
}));

const RESOURCES = { models: MODEL_LIST.map(({ id }) => ({ name: `models/${id}` })) };

/** The same models in the formats of other vendors. */
export const OWN_LISTS: Readonly<Record<string, unknown>> = {
  gemini: RESOURCES,
  ollama: RESOURCES,
  github: MODEL_LIST,
  cloudflare: {
    success: true,
    result: MODEL_LIST.map(({ id }, at) => ({ id: `00000000-${at}`, name: `@cf/openai/${id}` })),
  },
};

/** Model lists in the clouds' formats, each with an additional model. */
export const CLOUD_LISTS: Readonly<Record<string, unknown>> = {
  foundation: {
    modelSummaries: [
      { modelId: 'amazon.nova-lite-v1:0', modelName: 'Nova Lite', providerName: 'Amazon' },
    ],
  },
  profiles: {
    inferenceProfileSummaries: [
      {
        inferenceProfileId: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
        inferenceProfileName: 'US Claude Sonnet 4.5',
        models: [{ modelArn: 'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude' }],
      },
    ],
  },
  google: { publisherModels: [{ name: 'publishers/google/models/gemini-3.8-flash' }] },
  anthropic: { publisherModels: [{ name: 'publishers/anthropic/models/claude-sonnet-5-5' }] },
};

/** The prepaid account of every key: 100 USD granted, 25 used. */
const GRANTED_USD = 100;
const USED_USD = 25;

/** Balance responses in the vendors' formats, all for the same account. */
export const BALANCES: Readonly<Record<string, unknown>> = {
  '/dashboard/billing/subscription': {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: GRANTED_USD,
    hard_limit_usd: GRANTED_USD,
    system_hard_limit_usd: GRANTED_USD,
    access_until: CREATED_AT_SEC + 365 * 86_400,
  },
  '/dashboard/billing/usage': { object: 'list', total_usage: USED_USD * 100 },
  '/dashboard/billing/credit_grants': {
    object: 'credit_summary',
    total_granted: GRANTED_USD,
    total_used: USED_USD,
    total_available: GRANTED_USD - USED_USD,
  },
  '/v1/users/me/balance': {
    code: 0,
    data: { available_balance: GRANTED_USD - USED_USD, voucher_balance: 0, cash_balance: 75 },
    status: true,
  },
  '/v1/user/info': { code: 20000, status: true, data: { totalBalance: '75.00' } },
  '/user/balance': {
    is_available: true,
    balance_infos: [{ currency: 'USD', total_balance: '75.00', granted_balance: '0.00' }],
  },
  '/api/v1/credits': { data: { total_credits: GRANTED_USD, total_usage: USED_USD } },
};

/** Flags every input that mentions violence, so that tests can get both results. */
export function composeModeration(body: ModerationBody, id: string): Record<string, unknown> {
  const texts = typeof body.input === 'string' ? [body.input] : body.input;
  const isParts = texts.some((text) => typeof text !== 'string');
  const words = texts.map((text) => (typeof text === 'string' ? text : textOf([text])));
  return {
    id: `modr-${id}`,
    model: body.model ?? 'omni-moderation-latest',
    results: (isParts ? [words.join(' ')] : words).map(verdictOf),
  };
}

function verdictOf(text: string) {
  const isViolent = /violen/i.test(text);
  return {
    flagged: isViolent,
    categories: { hate: false, 'self-harm': false, sexual: false, violence: isViolent },
    category_scores: {
      hate: 0.01,
      'self-harm': 0.01,
      sexual: 0.01,
      violence: isViolent ? 0.98 : 0.02,
    },
    category_applied_input_types: {
      hate: ['text'],
      'self-harm': ['text'],
      sexual: ['text'],
      violence: ['text'],
    },
  };
}

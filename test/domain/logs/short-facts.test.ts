import { expect, it, test } from 'vitest';
import { factsText } from '../../../src/domain/logs/log-facts.ts';
import {
  fullFacts,
  type RecordedPrice,
  shortFacts,
  shortPrice,
} from '../../../src/domain/logs/short-facts.ts';
import { completeRates } from '../../../src/domain/pricing/rates.ts';

const COLUMNS = {
  model_name: 'gpt-4o-mini',
  quota: 4,
  prompt_tokens: 12,
  completion_tokens: 9,
  first_token_ms: 25,
  channel_id: 3,
};
const RATES = { input: 0.15, output: 0.6, cache_read: 0.075, cache_write: 0.1875 };
const PRICE: RecordedPrice = {
  group_ratio: 0.8,
  price_name: 'gpt-4o-mini',
  price_rule: 'requested',
  rates: completeRates(RATES, 'gpt-4o-mini'),
};
const RATIOS = {
  model_ratio: 0.075,
  completion_ratio: 4,
  cache_ratio: 0.5,
  cache_creation_ratio: 1.25,
};
const FACTS = {
  cache_tokens: 0,
  usage: { input: 12, output: 9 },
  endpoint: 'chat',
  ending: 'answered',
  frt: 25,
  held: 0,
  exact_units: '3.6',
};
const ATTEMPT = {
  channel_id: 3,
  channel_name: 'one "and" only',
  key_id: 7,
  upstream_model: 'gpt-4o-mini',
  status: 200,
  code: '',
  message: '',
  duration_ms: 31,
};
type Given = Omit<Parameters<typeof shortFacts>[1], 'price'> & { readonly price: RecordedPrice };

const short = (columns: typeof COLUMNS, { price, ...more }: Given): string =>
  shortFacts(columns, { price: shortPrice(columns.model_name, price), ...more });

const PLAIN: Given = { price: PRICE, facts: FACTS, attempts: [ATTEMPT] };

const FAILED = { ...ATTEMPT, channel_id: 2, status: 500, code: 'broken', message: 'no' };
const SLOW = {
  ...ATTEMPT,
  status: 504,
  code: 'upstream_timeout',
  reason: { error: 'upstream_slow', params: { seconds: 5 } },
} as const;

test.each<[string, Given, Partial<typeof COLUMNS>]>([
  ['of a plain call', PLAIN, {}],
  ['without usage', { ...PLAIN, facts: { ...FACTS, usage: {} } }, {}],
  ['of an empty answer', { ...PLAIN, facts: { ...FACTS, usage: { input: 12 } } }, {}],
  [
    'with cached tokens',
    {
      ...PLAIN,
      facts: { ...FACTS, cache_tokens: 4, usage: { input: 8, cacheRead: 4, output: 9 } },
    },
    {},
  ],
  [
    'with reasoning',
    { ...PLAIN, facts: { ...FACTS, usage: { input: 12, output: 9, reasoning: 5 } } },
    {},
  ],
  ['of a whole number of units', { ...PLAIN, facts: { ...FACTS, exact_units: '4' } }, {}],
  [
    'of another endpoint, broken',
    { ...PLAIN, facts: { ...FACTS, endpoint: 'responses', ending: 'upstream_broke', held: 90 } },
    {},
  ],
  ['without content', { ...PLAIN, facts: { ...FACTS, frt: -1000 } }, { first_token_ms: 0 }],
  ['with content at once', { ...PLAIN, facts: { ...FACTS, frt: 0 } }, { first_token_ms: 0 }],
  [
    'with rare facts',
    {
      ...PLAIN,
      facts: {
        ...FACTS,
        service_tier: 'flex',
        rate_conditions: [{ tier: 'flex' }],
        over_allowed: 3,
      },
    },
    {},
  ],
  [
    'at a price per call',
    {
      ...PLAIN,
      price: { group_ratio: 1, price_name: 'x', price_rule: 'mapped', rates: 0.25 },
    },
    {},
  ],
  ['with a retry', { ...PLAIN, attempts: [FAILED, ATTEMPT] }, {}],
  ['with a failure in own terms', { ...PLAIN, attempts: [SLOW, ATTEMPT] }, {}],
  ['of a mapped model', { ...PLAIN, attempts: [{ ...ATTEMPT, upstream_model: 'gpt-4' }] }, {}],
  ['with affinity', { ...PLAIN, attempts: [{ ...ATTEMPT, affinity: 'prompt' }] }, {}],
  ['without an attempt', { ...PLAIN, attempts: [] }, {}],
])('facts %s are read as they were written', (_name, given, more) => {
  const columns = { ...COLUMNS, ...more };
  const { price, facts, attempts } = given;
  const use_channel = attempts.map(({ channel_id }) => String(channel_id));
  expect(fullFacts(columns, short(columns, given)).facts).toEqual({
    ...shownPrice(price),
    ...facts,
    admin_info: { use_channel, attempts },
  });
});

function shownPrice({ rates, ...price }: RecordedPrice) {
  return typeof rates === 'number'
    ? { ...price, user_group_ratio: -1, model_price: rates }
    : { ...price, user_group_ratio: -1, model_price: -1, ...RATIOS, rates: RATES };
}

it('rates that few calls use are stored beside the others', () => {
  const facts = { ...FACTS, rates: { audio_input: 3, audio_output: 6 } };
  expect(fullFacts(COLUMNS, short(COLUMNS, { ...PLAIN, facts })).facts).toMatchObject({
    rates: { ...RATES, audio_input: 3, audio_output: 6 },
    ...RATIOS,
    audio_ratio: 20,
    audio_completion_ratio: 2,
  });
});

it.each([
  ['chat', 'audio'],
  ['realtime', 'ws'],
])('the charge of a call to %s follows from its counts of text and audio', (endpoint, mark) => {
  const facts = {
    ...FACTS,
    endpoint,
    rates: { audio_input: 3, audio_output: 6 },
    usage: { input: 4, audioInput: 8, output: 2, audioOutput: 7 },
  };
  const read = JSON.parse(factsText(fullFacts(COLUMNS, short(COLUMNS, { ...PLAIN, facts })).facts));
  expect(read).toMatchObject({
    [mark]: true,
    audio_input: 8,
    audio_output: 7,
    text_input: 4,
    text_output: 2,
  });
  const text = read.text_input + read.text_output * read.completion_ratio;
  const audio = read.audio_input + read.audio_output * read.audio_completion_ratio;
  const weighed = (text + audio * read.audio_ratio) * read.model_ratio * read.group_ratio;
  const usd = (4 * 0.15 + 2 * 0.6 + 8 * 3 + 7 * 6) / 1e6;
  expect(weighed).toBeCloseTo(usd * 0.8 * 500_000, 9);
});

it('facts with ratios, of earlier versions, are read with them', () => {
  const text = '{"p":[0.8,0.075,4,0.5,1.25],"exact_units":"3.6","a":[["one",7,31]]}';
  const { rates, ...facts } = fullFacts(COLUMNS, text).facts;
  expect(rates).toBeUndefined();
  expect(facts).toMatchObject({ group_ratio: 0.8, model_price: -1, ...RATIOS });
});

it('facts of a plain call are stored in less than a hundred characters', () => {
  expect(short(COLUMNS, PLAIN)).toBe(
    '{"r":[0.8,0.15,0.6,0.075,0.1875],"exact_units":"3.6","a":[["one \\"and\\" only",7,31]]}',
  );
});

test.each([
  ['', {}],
  ['{}', {}],
  ['{"model_ratio":1,"own":[1]}', { model_ratio: 1, own: [1] }],
  ['{"p":1}', { p: 1 }],
  ['{"r":1}', { r: 1 }],
  ['{"model_ratio":"1","error_code":404}', { error_code: 404 }],
  ['no JSON', {}],
])('facts in another form are read as they are, if their kinds are known: %s', (text, facts) =>
  expect(fullFacts(COLUMNS, text)).toEqual({ facts, prompt_tokens: 12 }),
);

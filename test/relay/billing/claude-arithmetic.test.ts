/**
 * Clients of this family of gateways recompute the charge of a Claude entry from the log API:
 * (prompt + cached x cache ratio + written x write ratio + completion x ratio) x model x group.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { LOG_TYPE } from '../../../src/domain/logs/log-types.ts';
import { parsedObject } from '../../../src/json/parse-json-object.ts';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';

const MODELS = ['claude-3-5-sonnet', 'claude-haiku-4-5', 'claude-opus-4-1'] as const;
const GROUP_RATIO = 0.8;
const PLAIN_MODEL = 'gpt-4o';

const { site, raw } = await rawSite({
  options: { GroupRatio: { default: GROUP_RATIO }, ModelPrice: { 'claude-a-call': 0.02 } },
});

beforeAll(async () => {
  const channel = { base_url: raw.url, group: 'default', priority: 10 };
  await site.addChannel({
    ...channel,
    type: 'claude',
    models: [...MODELS, 'claude-a-call'].join(),
  });
  await site.addChannel({ ...channel, models: PLAIN_MODEL });
});

const USAGES = {
  plain: { input_tokens: 1013, output_tokens: 307 },
  read: { input_tokens: 101, cache_read_input_tokens: 2003, output_tokens: 307 },
  'read and written': {
    input_tokens: 101,
    cache_read_input_tokens: 2003,
    cache_creation_input_tokens: 411,
    output_tokens: 307,
  },
  'written for five minutes and an hour': {
    input_tokens: 101,
    cache_read_input_tokens: 2003,
    cache_creation_input_tokens: 400,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 300 },
    output_tokens: 307,
  },
} as const;

const messages = [{ role: 'user', content: 'hi' }];
const operator = () => site.as({ kind: 'operator' });

async function entryOf(path: string, model: string, usage: object) {
  raw.answer = whole({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
    usage,
  });
  const call = await site.call({ path, body: { model, messages, max_tokens: 100 } });
  expect(call.status, call.text).toBe(200);
  const [entry] = await operator().log.get({ request_id: call.requestId });
  if (entry === undefined) throw new Error('no entry');
  return { entry, other: parsedObject(entry.other) };
}

const numbersOf = (facts: Readonly<Record<string, unknown>>) => (name: string) =>
  Number(facts[name]);

const CASES = MODELS.flatMap(
  (model) => Object.keys(USAGES).map((name) => [model, name as keyof typeof USAGES] as const), // its own keys
);

describe.each(['/v1/messages', '/v1/chat/completions'])('%s', (path) => {
  test.each(CASES)('the charge of %s follows from an entry with input %s', async (model, name) => {
    const { entry, other } = await entryOf(path, model, USAGES[name]);
    const of = numbersOf(other);
    const written = 'cache_creation_input_tokens' in USAGES[name];
    expect(other.claude === true).toBe(path === '/v1/messages' || written);
    const input =
      other.claude === true
        ? entry.prompt_tokens + of('cache_creation_tokens') * of('cache_creation_ratio')
        : entry.prompt_tokens - of('cache_tokens');
    const weighed =
      input +
      of('cache_tokens') * of('cache_ratio') +
      entry.completion_tokens * of('completion_ratio');
    const units = weighed * of('model_ratio') * of('group_ratio');
    expect(units).toBeCloseTo(of('exact_units'), 6);
    // The family truncates where the gateway rounds half up.
    expect(Math.abs(units - entry.quota)).toBeLessThanOrEqual(0.5);
  });
});

test('a price per call needs no counts', async () => {
  const { entry, other } = await entryOf('/v1/messages', 'claude-a-call', USAGES.read);
  expect(other.claude).toBe(true);
  expect(entry.quota).toBe(Number(other.model_price) * 500_000 * GROUP_RATIO);
});

test('lists and exports answer what the entry does, and sums have all input tokens', async () => {
  const owner = await site.addUser({});
  const { key } = await site.addToken({ owner });
  raw.answer = whole({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
    usage: USAGES['read and written'],
  });
  const [model] = MODELS;
  const body = { model, messages, max_tokens: 100 };
  await site.call({ path: '/v1/messages', key, body });
  const filter = { username: owner.username, type: LOG_TYPE.consume };
  const { items } = await operator().log.list(filter);
  expect(items.map(({ prompt_tokens }) => prompt_tokens)).toEqual([101]);
  const { token_input } = await operator().log.stat(filter);
  expect(token_input).toBe(101 + 2003 + 411);
  let lines = '';
  for await (const part of await operator().log.exportJsonl(filter)) lines += part;
  expect(JSON.parse(lines)).toMatchObject({ prompt_tokens: 101, other: { claude: true } });
});

import { expect, test } from 'vitest';
import { enableProblem, type Token } from '../../../web/src/features/token/calls.ts';
import {
  firstModel,
  snippetsFor,
} from '../../../web/src/features/token/connect/client-snippets.ts';
import {
  addressesOf,
  BLANK_TOKEN,
  batchNames,
  copyValues,
  newToken,
  type TokenValues,
  tokenEdit,
  tokenProblems,
  tokenValues,
} from '../../../web/src/features/token/editor/token-form.ts';
import { keyHint, keyInSearch } from '../../../web/src/features/token/list/key-search.ts';
import { tokenFormTarget } from '../../../web/src/features/token/list/open-tokens.ts';
import { chatUrl } from '../../../web/src/lib/site/chat-links.ts';

const NOW = 1_795_000_000;
const KEY = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl';

const TOKEN: Token = {
  id: 7,
  user_id: 1,
  username: 'ann',
  name: 'ci',
  key: 'sk-AbC***jKl',
  status: 1,
  created_time: NOW - 1000,
  accessed_time: NOW - 10,
  expired_time: -1,
  remain_quota: 400_000,
  used_quota: 100_000,
  held: 0,
  unlimited_quota: false,
  rate_limit_enabled: false,
  rate_limit_period: 60,
  rate_limit_count: 1000,
  rate_limit_success: 10,
  max_concurrency: 0,
  tokens_per_minute: 0,
  model_limits_enabled: true,
  model_limits: 'gpt-4o,gpt-4o-mini',
  allow_ips: '',
  group: '',
};

function problems(changes: Partial<TokenValues>, before?: TokenValues) {
  const values = { ...(before ?? { ...BLANK_TOKEN, name: 'ci' }), ...changes };
  const isAddress = (text: string) => /^[\d.]+(\/\d+)?$/.test(text);
  return tokenProblems(values, { nowSec: NOW, before, isAddress });
}

test('a new token begins with a dollar of quota, without expiry, and limits ready to be switched on', () => {
  expect(BLANK_TOKEN).toMatchObject({
    remain_quota: 500_000,
    expired_time: -1,
    count: 1,
    rate_limit_enabled: false,
    rate_limit_period: 60,
    rate_limit_count: 1000,
    rate_limit_success: 10,
  });
});

test.each<[Partial<TokenValues>, ReturnType<typeof problems>]>([
  [{}, {}],
  [{ name: ' ' }, { name: 'nameMissing' }],
  [{ name: 'x'.repeat(31) }, { name: 'nameLong' }],
  [{ expired_time: Number.NaN }, { expired_time: 'expiryFormat' }],
  [{ expired_time: NOW - 1 }, { expired_time: 'expiryPast' }],
  [{ remain_quota: -1 }, { remain_quota: 'quota' }],
  [{ remain_quota: -1, unlimited_quota: true }, {}],
  [{ count: 0 }, { count: 'count' }],
  [{ count: 100 }, {}],
  [{ count: 101 }, { count: 'count' }],
  [{ model_limits_enabled: true }, { model_limits: 'models' }],
  [{ allow_ips: '10.0.0.0/8\nhome' }, { allow_ips: 'ips' }],
  [{ rate_limit_enabled: true, rate_limit_period: 0 }, { rate_limit_period: 'period' }],
  [{ rate_limit_enabled: false, rate_limit_period: 0 }, {}],
  [{ rate_limit_enabled: true, rate_limit_count: -1 }, { rate_limit_count: 'rate' }],
])('a new token with %o is refused for %o', (changes, refused) => {
  expect(problems(changes)).toEqual(refused);
});

test('an expiry in the past may stay while other fields change', () => {
  const before = { ...tokenValues(TOKEN), expired_time: NOW - 100 };
  expect(problems({ name: 'other' }, before)).toEqual({});
  expect(problems({ expired_time: NOW - 50 }, before)).toEqual({ expired_time: 'expiryPast' });
});

test('an edit sends only changed fields, so that quota spent meanwhile stays spent', () => {
  const before = tokenValues(TOKEN);
  expect(tokenEdit(7, { ...before, name: ' ci 2 ' }, before)).toEqual({ id: 7, name: 'ci 2' });
  expect(tokenEdit(7, { ...before, model_limits: ['gpt-4o'] }, before)).toEqual({
    id: 7,
    model_limits: 'gpt-4o',
  });
  expect(tokenEdit(7, before, before)).toEqual({ id: 7 });
});

test('sends models as a comma list', () => {
  const sent = newToken({ ...BLANK_TOKEN, name: 'a', model_limits: ['x', 'y'] });
  expect(sent.model_limits).toBe('x,y');
});

test('a duplicate has the whole quota again, and drops an expiry in the past', () => {
  const over = { ...TOKEN, expired_time: NOW - 5 };
  expect(copyValues(over, 'ci copy', NOW)).toMatchObject({
    name: 'ci copy',
    remain_quota: 500_000,
    expired_time: -1,
    model_limits: ['gpt-4o', 'gpt-4o-mini'],
  });
  const later = { ...TOKEN, expired_time: NOW + 5 };
  expect(copyValues(later, 'x'.repeat(40), NOW)).toMatchObject({ expired_time: NOW + 5 });
  expect(copyValues(later, 'x'.repeat(40), NOW).name).toHaveLength(30);
});

test('in a batch the first keeps its name and the others get six signs more', () => {
  expect(batchNames('ci', 1)).toEqual(['ci']);
  expect(batchNames(' ci ', 10)).toEqual(['ci', 'ci-??????', 'ci-??????']);
  expect(batchNames('x'.repeat(30), 2)[1]).toHaveLength(30);
});

test.each([
  [`sk-${KEY}`, KEY],
  [` Bearer sk-${KEY} `, KEY],
  [KEY, KEY],
  [`sk-${KEY}-12`, KEY],
  ['ci', undefined],
  ['sk-short', undefined],
])('reads "%s" as the pasted key %s', (text, key) => expect(keyInSearch(text)).toBe(key));

test('a masked key is recognisable but not usable', () => {
  expect(keyHint(KEY)).toBe('sk-AbC…jKl');
});

test.each([
  [{}, undefined],
  [{ expired_time: NOW }, 'time'],
  [{ remain_quota: 0 }, 'quota'],
  [{ remain_quota: 0, unlimited_quota: true }, undefined],
])('a token with %o lacks %s to be enabled', (changes, lack) => {
  expect(enableProblem({ ...TOKEN, ...changes }, NOW)).toBe(lack);
});

test.each([
  ['new', { kind: 'new' }],
  ['7', { kind: 'edit', id: 7 }],
  ['copy-7', { kind: 'copy', id: 7 }],
  ['', { kind: 'closed' }],
  ['x7', { kind: 'closed' }],
])('the address "%s" opens %o', (text, opened) => expect(tokenFormTarget(text)).toEqual(opened));

test('accepts addresses one per line or separated in other ways', () => {
  expect(addressesOf(' 10.0.0.1\n\n10.0.0.2, 10.0.0.3 ')).toEqual([
    '10.0.0.1',
    '10.0.0.2',
    '10.0.0.3',
  ]);
});

test('every snippet has the address and the key, and no unfilled placeholder', () => {
  const snippets = snippetsFor({ url: 'https://gw.example', key: 'sk-k', model: 'some-model' });
  expect(snippets.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['curl', 'python', 'node']),
  );
  for (const { code } of snippets) {
    expect(code).toContain('https://gw.example');
    expect(code).toContain('sk-k');
    expect(code).not.toMatch(/undefined|\{url\}|\{key\}/);
  }
});

test('the first test uses a chat model', () => {
  expect(firstModel(['text-embedding-3-small', 'gpt-4o', 'gpt-4o-mini'])).toBe('gpt-4o-mini');
  expect(firstModel(['whisper-1', 'claude-sonnet-4-5'])).toBe('claude-sonnet-4-5');
  expect(firstModel(['whisper-1'])).toBe('whisper-1');
  expect(firstModel([])).toBeUndefined();
});

test('a chat program gets the address encoded and the key as it is, and never runs in this page', () => {
  const facts = { address: 'https://gw.example/x', key: 'sk-k' };
  expect(chatUrl('https://chat.example/#/?s={"key":"{key}","url":"{address}"}', facts)).toBe(
    'https://chat.example/#/?s={"key":"sk-k","url":"https%3A%2F%2Fgw.example%2Fx"}',
  );
  expect(chatUrl('ama://set-api-key?server={address}&key={key}', facts)).toBe(
    'ama://set-api-key?server=https%3A%2F%2Fgw.example%2Fx&key=sk-k',
  );
  expect(chatUrl('javascript:alert("{key}")', facts)).toBeUndefined();
  expect(chatUrl('fluent', facts)).toBeUndefined();
});

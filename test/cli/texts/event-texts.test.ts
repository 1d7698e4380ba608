import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors/errors.ts';
import { EVENTS, type EventCode, eventIn, paramKinds } from '../../../src/domain/logs/events.ts';
import en from '../../../src/locales/en.json' with { type: 'json' };
import {
  eventText,
  storedError,
  storedEvent,
  storedText,
} from '../../../src/locales/event-text.ts';
import zh from '../../../src/locales/zh.json' with { type: 'json' };

const CODES = Object.keys(EVENTS) as EventCode[]; // the table's own keys
const ENGLISH: Readonly<Record<string, string | undefined>> = en.events;
const CHINESE: Readonly<Record<string, string | undefined>> = zh.events;

const quota = { currency: true, quotaPerUnit: 500_000 };
const inEnglish = { language: 'en', quota } as const;
const inChinese = { language: 'zh', quota } as const;

test.each(CODES)('%s has a text in both languages that uses exactly its parameters', (code) => {
  const kinds = paramKinds(code);
  const isCounted = Object.values(kinds).includes('count');
  const texts = [ENGLISH[code], CHINESE[code], ...(isCounted ? [ENGLISH[`${code}_one`]] : [])];
  for (const text of texts) expect(paramsIn(text ?? 'no text')).toEqual(Object.keys(kinds).sort());
});

function paramsIn(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '').sort();
}

test('no text belongs to a removed event', () => {
  const known = new Set<string>(CODES);
  const codes = [...Object.keys(ENGLISH), ...Object.keys(CHINESE)];
  expect(codes.filter((key) => !known.has(key.replace(/_one$/, '')))).toEqual([]);
});

test('amounts, times, fields and counts are worded for the reader', () => {
  const changed = { event: 'quota_changed', params: { before: 500_000, after: -250_000 } } as const;
  expect(eventText(changed, inEnglish)).toBe('Quota changed from $1.00 to -$0.50');
  expect(eventText(changed, { ...inChinese, quota: { ...quota, currency: false } })).toBe(
    '额度由 500.0k 改为 -250.0k',
  );
  const deleted = (count: number) =>
    ({ event: 'logs_deleted', params: { count, before: 1_795_564_800 } }) as const;
  expect(eventText(deleted(1), inEnglish)).toBe(
    '1 log entry from before 2026-11-25 00:00:00 UTC deleted',
  );
  expect(eventText(deleted(2), inEnglish)).toContain('2 log entries');
  expect(eventText(deleted(1), inChinese)).toBe('已删除 2026-11-25 00:00:00 UTC 之前的 1 条日志');
  const fields = { channels: { count: 1, id: 7, name: 'main' }, fields: ['name', 'weight'] };
  const edited = { event: 'channel_changed', params: fields } as const;
  expect(eventText(edited, inEnglish)).toBe('Channel #7 main changed: Name, Weight');
  expect(eventText(edited, inChinese)).toBe('渠道 #7 main：已修改（名称、权重）');
  const many = { event: 'channel_deleted', params: { channels: { count: 3 } } } as const;
  expect(eventText(many, inEnglish)).toBe('3 channels deleted');
});

test('what a budget limits is named in the language of the reader', () => {
  const raised = (name: string | { kind: 'site' | 'token'; name: string }) =>
    ({ event: 'budget_raised', params: { id: 3, name } }) as const;
  const token = { kind: 'token', name: 'ci' } as const;
  expect(eventText(raised(token), inEnglish)).toContain('API token ci');
  expect(eventText(raised(token), inChinese)).toContain('令牌 ci');
  expect(eventText(raised({ kind: 'site', name: '' }), inChinese)).toMatch(/站点$/);
  expect(eventText(raised('token ci'), inChinese)).toContain('token ci');
});

test('a name that looks like a reference or a placeholder stays as it is', () => {
  const name = '$t(events.account_created) {{count}} <b>';
  const event = { event: 'token_deleted', params: { name } } as const;
  expect(eventText(event, inEnglish)).toBe(`API token ${name} deleted`);
});

test('an event is read back from the facts that store it', () => {
  const event = { event: 'tokens_created', params: { count: 2, name: 'a' } } as const;
  expect(eventIn({ ...event, action: 'token_create' })).toEqual(event);
  expect(eventIn({ event: 'account_closed' })).toEqual({ event: 'account_closed', params: {} });
});

test.each([
  {},
  { event: 'of another program' },
  { event: 'toString' },
  { event: 'tokens_created' },
  { event: 'tokens_created', params: { count: '2', name: 'a' } },
  { event: 'tokens_created', params: { count: 2 } },
  { event: 'logs_deleted', params: { count: 2, before: 1e300 } },
  { event: 'channel_deleted', params: { channels: [] } },
  { event: 'budget_deleted', params: { id: 1, name: { kind: 'planet', name: '' } } },
])('facts of other programs are no event: %j', (facts) => {
  expect(eventIn(facts)).toBeUndefined();
});

test('a stored reason is worded, and a text of an upstream stays', () => {
  const late = storedEvent({ event: 'task_unfinished', params: { count: 60 } });
  expect(storedText(late, inEnglish)).toBe('The task did not finish within 60 minutes');
  expect(storedText(late, inChinese)).toBe('任务未能在 60 分钟内完成');
  const error = storedError(new AppError('user_missing', { user: 'ann' }));
  expect(storedText(error, inEnglish)).toBe('There is no user ann.');
  expect(storedText(error, inChinese)).toBe('用户 ann 不存在');
  for (const text of ['', 'content policy', '{"error":"of the upstream"}', '{"event":1}'])
    expect(storedText(text, inEnglish)).toBe(text);
  const refund = {
    event: 'task_refunded',
    params: { action: 'IMAGINE', task: 't1', units: 500_000, reason: late },
  } as const;
  expect(eventText(refund, inChinese)).toBe(
    'IMAGINE t1 失败，已退还 $1.00：任务未能在 60 分钟内完成',
  );
});

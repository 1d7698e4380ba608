import { expect, test } from 'vitest';
import { problemDetails, problemText } from '../../../web/src/components/forms/call-problem.ts';
import { ApiError } from '../../../web/src/lib/api/api.ts';
import zh from '../../../web/src/locales/zh/core.json' with { type: 'json' };

const texts: Record<string, string> = zh;
const translate = (key: string, values: Record<string, unknown> = {}) =>
  (texts[key] ?? key).replaceAll(/{{(\w+)}}/g, (_, name: string) => String(values[name]));
// The only i18next function that is called.
const t = translate as unknown as Parameters<typeof problemText>[0];

const refusal = (status: number, more: Partial<ConstructorParameters<typeof ApiError>[0]> = {}) =>
  new ApiError({
    kind: 'refused',
    status,
    method: 'PUT',
    path: '/api/x?secret=1',
    message: 'm',
    ...more,
  });

test.each([
  [405, '本站仅供演示，无服务端。'],
  [429, '请求过于频繁，请稍后再试。'],
  [500, '服务器内部错误，请联系管理员。'],
  [503, '错误：m'],
  [400, '错误：m'],
  [200, 'm'],
] as const)('a refusal with status %i reads as the reader needs it', (status, text) => {
  expect(problemText(t, refusal(status))).toBe(text);
});

test.each([
  [405, '本站仅供演示，无服务端。响应不是来自网关（HTTP 405）'],
  [429, '请求过于频繁，请稍后再试。响应不是来自网关（HTTP 429）'],
  [500, '服务器内部错误，请联系管理员。响应不是来自网关（HTTP 500）'],
  [403, '响应不是来自网关（HTTP 403）'],
] as const)('a foreign response with status %i reads by its status', (status, text) => {
  expect(problemText(t, refusal(status, { kind: 'garbled' }))).toMatch(text);
});

test('a refusal without words is a failed request', () => {
  expect(problemText(t, refusal(200, { message: '' }))).toBe('请求失败');
});

test('shows the seconds to wait if they are known', () => {
  expect(problemText(t, refusal(429, { retryAfterSec: 9 }))).toContain('9 秒');
});

test('reports an unknown exception as unexpected, without a stack trace', () => {
  expect(problemText(t, new TypeError('x is undefined'))).toBe('发生了意外错误。');
});

test('the details show the request without its query, which may hold secrets', () => {
  const details = problemDetails(refusal(500, { requestId: 'r-9', code: 'internal' }));
  expect(details).toContain('PUT /api/x\n');
  expect(details).toContain('HTTP 500 internal');
  expect(details).toContain('r-9');
  expect(details).not.toContain('secret');
});

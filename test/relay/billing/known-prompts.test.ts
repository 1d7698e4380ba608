/** The bound of a prompt whose parts the upstream has counted before. */
import { describe, expect, test } from 'vitest';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import type { Tenant } from '../tenant.ts';

const { site, raw, rawTenant } = await rawSite();

describe('a prompt that repeats what the upstream has counted', () => {
  const LINES = Array.from({ length: 160 }, (_, at) => `Line ${at}: the parts of a long prompt. `);
  const prompt = (turns: number) => [
    { role: 'user', content: LINES.join('') },
    ...LINES.slice(0, turns).flatMap((content) => [
      { role: 'assistant', content },
      { role: 'user', content },
    ]),
  ];
  const limitOf = async (one: Tenant, turns: number, extra: object = {}) => {
    const body = { model: one.model, messages: prompt(turns), max_tokens: 32_000, ...extra };
    const call = { path: '/v1/messages', key: one.token.key, body };
    const { status, headers } = await site.call(call);
    expect(status).toBe(200);
    return Number(headers['x-gateway-max-tokens']);
  };
  const tenant = () =>
    rawTenant({
      price: { ratio: '1', completion: '4' },
      channel: { type: 14 },
      upstreamModel: 'claude-haiku-4-5',
      quota: 9_000,
    });
  // About half of the own count, which has a margin.
  const counts = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hi.' }],
    usage: { input_tokens: 1_200, output_tokens: 1 },
  };

  test('leaves more for the answer, though it is longer and the balance is lower', async () => {
    raw.answer = whole(counts);
    const one = await tenant();
    const first = await limitOf(one, 0);
    const second = await limitOf(one, 1);
    expect(second).toBeGreaterThan(first);
    expect(await one.bill()).toMatchObject({ held: { user: 0, token: 0 } });
  });

  test('is counted again for another account, and after a prompt that was cut', async () => {
    raw.answer = whole(counts);
    const one = await tenant();
    const first = await limitOf(one, 0, { context_management: { edits: [] } });
    expect(await limitOf(one, 1)).toBeLessThan(first);
    expect(await limitOf(await tenant(), 1)).toBeLessThan(first);
  });
});

/** Whether an HTTP response is exactly what its call declares: nothing missing, nothing extra. */
import { expect } from 'vitest';
import * as z from 'zod/mini';
import type { Call, ReplyFormat } from '../../../src/api/call.ts';
import type { ApiReply } from '../../support/api-client.ts';

export function expectAnswer(call: Call, reply: ApiReply): void {
  const { wire = 'envelope' } = call;
  const status = wire === 'redirect' ? 302 : 200;
  expect([reply.status, refusalIn(reply)], reply.text.slice(0, 500)).toEqual([status, undefined]);
  EXPECTED[wire](call, reply);
}

/** The code of a refusal is text; a form of the family has `code: true` for success. */
function refusalIn({ body }: ApiReply): string | undefined {
  return typeof body?.code === 'string' ? body.code : undefined;
}

const EXPECTED: Readonly<Record<ReplyFormat, (call: Call, reply: ApiReply) => void>> = {
  envelope: (call, { body }) => expectEnvelope(call, body),
  flat: (call, { body }) => expectFlat(call, body),
  bare: (call, { body }) => expectFit(call, body),
  redirect: (call, { headers }) => expectFit(call, headers.location),
  text(call, { headers, text }) {
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expectFit(call, text);
  },
  stream({ contentType }, { headers, text }) {
    expect(headers['content-type']).toBe(contentType);
    expect(text).not.toBe('');
  },
};

function expectEnvelope(call: Call, body: { data?: unknown }): void {
  const { data, ...rest } = body;
  expect(rest).toEqual({ success: true, message: '' });
  if (call.reply.def.type === 'void') expect(data).toBeNull();
  else expectFit(call, data);
}

/** `success` and `message` are always present; some replies declare them explicitly. */
function expectFlat(call: Call, body: Readonly<Record<string, unknown>>): void {
  expect(body).toMatchObject({ success: true, message: expect.any(String) });
  const { properties = {} } = z.toJSONSchema(call.reply, { io: 'output', unrepresentable: 'any' });
  const own = Object.entries(body).filter(
    ([name]) => name in properties || (name !== 'success' && name !== 'message'),
  );
  expectFit(call, Object.fromEntries(own));
}

/** A schema drops undeclared fields, so its output differs if there were any. */
function expectFit(call: Call, value: unknown): void {
  const parsed = z.safeParse(call.reply, value);
  expect(parsed.error?.issues).toBeUndefined();
  expect(parsed.data).toStrictEqual(value);
  const list = Array.isArray(value) ? value : (value as { items?: unknown } | null)?.items;
  // An empty list proves nothing about its rows.
  if (Array.isArray(list)) expect(list.length).toBeGreaterThan(0);
}

/** Queries, cookies and languages of requests, sent to a complete server. */
import cookie from '@fastify/cookie';
import fc from 'fast-check';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect } from 'vitest';
import * as z from 'zod/mini';
import { apiCalls } from '../../../src/api/all.ts';
import type { Calls } from '../../../src/api/call.ts';
import { type QueryParameters, readQuery } from '../../../src/api/read-query.ts';
import { cookieJar, cookieOf } from '../../../src/server/request/cookies.ts';
import { requestLanguage } from '../../../src/server/request/language.ts';
import { holds } from './holds.ts';
import { anyText } from './pieces.ts';

let app: FastifyInstance;
beforeAll(async () => {
  app = fastify();
  await app.register(cookie);
  app.get('/', async (request, reply) => {
    const set = (request.query as { set?: string }).set;
    if (set !== undefined) cookieJar(request, reply).set('session', set, 60);
    return {
      session: cookieOf(request, 'session') ?? null,
      language: requestLanguage(request) ?? null,
    };
  });
});
afterAll(() => app.close());

/** Text that a header may contain. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

holds(
  'any header of cookies is read, and the session is what its cookie says',
  fc.asyncProperty(
    fc.array(headerText, { maxLength: 4 }),
    fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/),
    fc.nat(4),
    async (others, session, at) => {
      const noise = others.filter((text) => !text.includes('gateway_session'));
      const cookies = noise
        .toSpliced(Math.min(at, noise.length), 0, `gateway_session=${session}`)
        .join('; ');
      const answer = await app.inject({ url: '/', headers: { cookie: cookies } });
      expect(answer.statusCode).toBe(200);
      const isOpen = noise.slice(0, at).join('; ').split('"').length % 2 === 1;
      if (isOpen) expect(answer.json().session).toBe(session);
    },
  ),
);

holds(
  'a cookie that was set comes back as it was, strict and out of reach of scripts',
  fc.asyncProperty(
    anyText.map((text) => text.toWellFormed()).filter((text) => text !== ''),
    async (value) => {
      const answer = await app.inject({ url: `/?set=${encodeURIComponent(value)}` });
      const [header = ''] = [answer.headers['set-cookie']].flat();
      expect(header).toMatch(
        /^gateway_session=[^;\s,]*; Max-Age=60; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      const again = await app.inject({ url: '/', headers: { cookie: header.split(';')[0] ?? '' } });
      expect(again.json().session).toBe(value);
    },
  ),
);

holds(
  'any wish for a language is one of ours or none',
  fc.asyncProperty(headerText, async (wish) => {
    const answer = await app.inject({ url: '/', headers: { 'accept-language': wish } });
    expect([null, 'en', 'zh']).toContain(answer.json().language);
    if (/^\s*zh/i.test(wish)) expect(answer.json().language).toBe('zh');
  }),
);

const READS = Object.values<Calls>(apiCalls)
  .flatMap((calls) => Object.values(calls))
  .map((call) => ({ call, read: (query: QueryParameters) => readQuery(call, query) }));

holds(
  'a query never becomes more than its words say: what cannot be read stays text',
  fc.property(
    fc.constantFrom(...READS),
    fc.dictionary(
      fc.oneof(
        anyText,
        fc.constantFrom('p', 'page_size', 'id', 'ids', 'status', 'type', '__proto__'),
      ),
      fc.oneof(anyText, fc.array(anyText, { maxLength: 2 })),
      { maxKeys: 5 },
    ),
    ({ call, read }, query) => {
      const input = read(query);
      expect(Object.keys(input).sort()).toEqual(Object.keys(query).sort());
      expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
      for (const [name, value] of Object.entries(query)) {
        const given = Reflect.get(input, name);
        if (typeof value !== 'string') expect(given).toBe(value);
        if (typeof given === 'number') expect(given).toBe(Number(String(value)));
      }
      // The input may be refused or accepted, but must not throw.
      z.safeParse(call.input, input);
    },
  ),
  { runs: 500 },
);

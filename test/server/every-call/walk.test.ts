/**
 * Calls every path of the management API: checks permissions, the field named for invalid input,
 * and that every response matches its declaration.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Call } from '../../../src/api/call.ts';
import { buildRemoteRequest } from '../../../src/api/remote.ts';
import type { Role } from '../../../src/domain/roles.ts';
import { type HandledCall, handledCalls, localApi } from '../../../src/handlers.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { databases } from '../../support/databases.ts';
import { expectAnswer } from './fits.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';
import { sampleOf } from './samples.ts';

interface Way extends HandledCall {
  readonly title: string;
  readonly method: Call['method'];
  readonly path: string;
}

const calls = handledCalls().map((handled) => ({
  ...handled,
  title: `${handled.noun}.${handled.name}`,
}));
const ways: readonly Way[] = calls.flatMap((handled) =>
  [handled.call, ...(handled.call.also ?? [])].map(({ method, path }) => ({
    ...handled,
    method,
    path,
    title: `${method} ${path}`,
  })),
);

/** Decided before any statement, so one database is enough. */
describe('refused management calls', () => {
  let fixtures: Fixtures;
  beforeAll(async () => {
    fixtures = await createFixtures('sqlite');
  });
  afterAll(() => fixtures.close());

  describe('a guest', () => {
    it.each(ways.filter(({ call }) => call.role > 0))('is refused by $title', async (way) => {
      for (const path of [way.path, otherSlash(way.path)]) {
        const reply = await askAs(fixtures, 0, { ...way, path });
        expect(reply).toMatchObject({
          status: 401,
          body: { success: false, code: 'not_signed_in' },
        });
      }
    });
  });

  describe.each([1, 10] as const)('role %i', (role) => {
    it.each(ways.filter(({ call }) => call.role > role))('is refused by $title', async (way) => {
      const reply = await askAs(fixtures, role, way);
      expect(reply.body).toMatchObject({ success: false, code: 'permission_denied' });
    });
  });

  describe('invalid input', () => {
    it.each(ways.filter(({ call }) => wrongField(call) !== undefined))(
      'to $title is refused by the name of its field',
      async (way) => {
        const wrong = wrongField(way.call) ?? '';
        const { browser } = fixtures.person(100);
        const reply = await browser.send(way.method, pathWith(way.path, wrong), {
          [isQuery(way) ? 'query' : 'body']: { [wrong]: isQuery(way) ? '\u0000' : { not: 'this' } },
        });
        if (wrong === 'id' && way.path.endsWith('/:id')) {
          expect([reply.status, reply.body.code]).toEqual([404, 'route_unknown']);
          return;
        }
        expect(reply.body).toMatchObject({ success: false, code: 'input_invalid' });
        expect(reply.body.param).toMatch(new RegExp(`^${wrong}`));
      },
    );
  });
});

describe.each(databases)('management calls on $kind', ({ kind }) => {
  let fixtures: Fixtures;
  beforeAll(async () => {
    fixtures = await createFixtures(kind);
  });
  afterAll(() => fixtures.close());

  describe('the response', () => {
    it.each(ways)('of $title matches its declaration', async (way) => {
      const { who, input } = await sampleOf(fixtures, way);
      const { method, path, body } = buildRemoteRequest(
        { ...way.call, method: way.method, path: way.path },
        input,
      );
      const reply = await who.browser.send(method, path, body === undefined ? {} : { body });
      expectAnswer(way.call, reply);
    });

    // JSON hides a wrong type, such as a number returned as text, which the checks above miss.
    it.each(calls.filter(({ call }) => isAskedAtTerminal(call)))(
      'of $title has these types before JSON encoding, too',
      async (handled) => {
        const { who, input } = await sampleOf(fixtures, handled);
        const client = localApi(who.site.ctx, who.actor)[handled.noun];
        const run = client[handled.name as keyof typeof client] as (given: object) => unknown; // its own name
        await run(input);
      },
    );

    it('leaves every balance equal to the sum of its ledger entries', async () => {
      expect(await fixtures.site.verify()).toMatchObject({ ok: true, differences: [] });
    });
  });
});

/** Does not require a browser's cookie, and returns a response that can be read at once. */
function isAskedAtTerminal({ sessionOnly, wire, path }: Call): boolean {
  return !sessionOnly && wire !== 'redirect' && !path.startsWith('/api/oauth/');
}

/** With a trailing slash added or removed. */
function otherSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
}

function askAs(fixtures: Fixtures, role: Role, way: Way): Promise<ApiReply> {
  const { browser } = fixtures.person(role);
  return browser.send(way.method, pathWith(way.path), isQuery(way) ? {} : { body: {} });
}

function isQuery({ method }: Way): boolean {
  return method === 'GET' || method === 'DELETE';
}

/** The path with values for its parameters. */
function pathWith(path: string, wrong = ''): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => (name === wrong ? 'no%00text' : '1'));
}

/** A field that cannot be an object or a control character: a required one, or the id. */
function wrongField(call: Call): string | undefined {
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' });
  return schema.required?.[0];
}

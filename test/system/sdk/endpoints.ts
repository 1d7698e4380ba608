/**
 * Runs the same SDK scenario against the fake upstream directly and against the gateway with an
 * upstream of each dialect. The results must be equal.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import { aSite, type Site, UPSTREAM_KEY } from '../../support/site.ts';
import type { FakeUpstream } from '../../upstream/server.ts';

export interface Endpoint {
  readonly url: string;
  readonly key: string;
  /** The upstream that finally answers. */
  readonly upstream: FakeUpstream;
}

/** Returns what the SDK returned, without values that differ between calls (ids, dates). */
export type Scenario = (endpoint: Endpoint) => Promise<unknown>;

interface Behind {
  readonly name: DialectName;
  readonly type: number;
  readonly model: string;
}

/** One upstream for each dialect. */
export const BEHIND: readonly Behind[] = [
  // Uses chat completions even with tools; later models require the Responses API then.
  { name: 'chat', type: 1, model: 'gpt-5.1' },
  { name: 'anthropic', type: 14, model: 'claude-sonnet-4-5' },
  { name: 'gemini', type: 24, model: 'gemini-3.1-pro-preview' },
  // Uses the Responses API for clients of every dialect.
  { name: 'responses', type: 1, model: 'gpt-5.3-codex' },
];

/**
 * Creates a user in a separate group for each upstream, so that one model name leads to all of
 * them.
 */
async function endpointsOf(site: Site, models: readonly string[]): Promise<Map<string, Endpoint>> {
  const groups = BEHIND.map(({ name }) => `over-${name}`);
  const every = (value: number) => Object.fromEntries(models.map((model) => [model, value]));
  const known = site.ctx.options().get('GroupRatio');
  await site.option('GroupRatio', {
    ...known,
    ...Object.fromEntries(groups.map((group) => [group, 1])),
  });
  await site.option('ModelRatio', every(1));
  const endpoints = new Map<string, Endpoint>();
  for (const { name, type, model } of BEHIND) {
    const group = `over-${name}`;
    const mapping = Object.fromEntries(models.map((requested) => [requested, model]));
    await site.addChannel({
      type,
      group,
      models: models.join(','),
      model_mapping: JSON.stringify(mapping),
    });
    const { key } = await site.addToken({ owner: await site.addUser({ group }) });
    endpoints.set(name, { url: site.url, key, upstream: site.upstream });
  }
  return endpoints;
}

/** Differences that two dialects cannot avoid, with reasons, by scenario and upstream. */
export type Differences = Readonly<
  Partial<Record<string, Readonly<Partial<Record<DialectName, string>>>>>
>;

/** Runs every scenario directly and over each upstream, and compares the results. */
export function sameAsDirect(
  sdk: string,
  models: readonly string[],
  scenarios: Readonly<Record<string, Scenario>>,
  differences: Differences = {},
): void {
  let site: Site;
  let endpoints: Map<string, Endpoint>;
  const direct = new Map<Scenario, Promise<unknown>>();
  beforeAll(async () => {
    site = await aSite({ config: { clientGraceMs: 0.05 } });
    endpoints = await endpointsOf(site, models);
  });
  afterAll(async () => {
    await site.settled();
    expect((await site.verify()).ok).toBe(true);
    await site.close();
  });
  const run = (scenario: Scenario, endpoint: Endpoint) => {
    site.upstream.reset();
    return scenario(endpoint);
  };
  const directly = async (scenario: Scenario) => {
    const endpoint = { url: site.upstream.url, key: UPSTREAM_KEY, upstream: site.upstream };
    const known = direct.get(scenario) ?? run(scenario, endpoint);
    direct.set(scenario, known);
    return known;
  };
  describe.each(BEHIND.map(({ name }) => name))(`${sdk} over an upstream of %s`, (name) => {
    test.each(Object.entries(scenarios))('%s', async (title, scenario) => {
      const expected = await directly(scenario);
      const endpoint = endpoints.get(name);
      if (endpoint === undefined) throw new Error(`no endpoint over ${name}`);
      const summaryOf = await run(scenario, endpoint);
      if (differences[title]?.[name] === undefined) expect(summaryOf).toEqual(expected);
      else expect(summaryOf).not.toEqual(expected);
    });
  });
  test('lists differences of existing scenarios only', () => {
    expect(Object.keys(scenarios)).toEqual(expect.arrayContaining(Object.keys(differences)));
  });
}

/** An image of one pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const CITY = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
};

export const PERSON = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const }, age: { type: 'integer' as const, minimum: 18 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

/** Class, status and message of a refused call, without its request id. */
async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const status = 'status' in error ? error.status : 'statusCode' in error && error.statusCode;
    return { kind: error.constructor.name, status };
  }
  throw new Error('the call did not fail');
}

/** Calls with statuses that SDKs have error classes for, in the vendor's format. */
export async function refusals(
  endpoint: Endpoint,
  call: () => Promise<unknown>,
): Promise<unknown[]> {
  const summaryOf: unknown[] = [];
  for (const status of [400, 401, 404, 429, 503]) {
    endpoint.upstream.script({ refuse: { status, message: `it is ${status}` } });
    summaryOf.push(await failureOf(call()));
  }
  return summaryOf;
}

/**
 * Aborts in the middle of a stream. `read` yields the pieces of text; resolves with the result of
 * the stream once the upstream has noticed.
 */
export async function leaving(
  endpoint: Endpoint,
  start: (signal: AbortSignal) => Promise<AsyncIterable<string>>,
): Promise<unknown> {
  endpoint.upstream.script({ events: 50, hold: 12 });
  const controller = new AbortController();
  let text = '';
  let end = 'ended';
  try {
    for await (const piece of await start(controller.signal)) {
      text += piece;
      if (text.includes('w2 ')) controller.abort();
    }
  } catch (error) {
    end = error instanceof Error ? error.constructor.name : String(error);
  }
  await endpoint.upstream.until(({ aborted }) => aborted === 1);
  return { end, began: text.slice(0, 9) };
}

/** What each outcome of an attempt affects, as documented in docs/channels.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Affected, affectedBy } from '../../../src/relay/routing/outcome-rules.ts';
import { aSite, OPERATOR, type Site } from '../../support/site.ts';
import type { Plan } from '../../upstream/plans/plan.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/server.ts';
import { CHAT } from '../../upstream/wire.ts';

test.each<[Affected, ...Outcome[]]>([
  ['key', [401], [402], [429, true], [403, true], [500, true]],
  ['key for the model', [429], [403]],
  ['model of the channel', [500], [502], [503], [504], [529]],
  ['nothing', [400], [404], [408], [413], [422]],
])('%s is affected by %j and the like', (affected, ...outcomes) => {
  for (const [status, disablesKey = false] of outcomes)
    expect(affectedBy({ status, disablesKey }), String(status)).toBe(affected);
});

/** A status, and whether the error disables the key. */
type Outcome = readonly [status: number, disablesKey?: boolean];

interface Row {
  readonly title: string;
  readonly plan: Plan;
  readonly stream?: boolean;
  readonly affects: Affected;
}

const ROWS: readonly Row[] = [
  { title: 'a 401', plan: { refuse: { status: 401 } }, affects: 'key' },
  { title: 'a 402', plan: { refuse: { status: 402 } }, affects: 'key' },
  {
    title: 'a 500 of a used-up account',
    plan: { refuse: { status: 500, code: 'insufficient_quota' } },
    affects: 'key',
  },
  { title: 'a 429', plan: { refuse: { status: 429 } }, affects: 'key for the model' },
  {
    title: 'a 403 of one model',
    plan: { refuse: { status: 403, type: 'invalid_request_error' } },
    affects: 'key for the model',
  },
  { title: 'a 500', plan: { refuse: { status: 500 } }, affects: 'model of the channel' },
  { title: 'an overload', plan: { refuse: { status: 529 } }, affects: 'model of the channel' },
  {
    title: 'a connection that breaks',
    plan: { fault: { ending: 'reset', after: 'head' } },
    affects: 'model of the channel',
  },
  { title: 'a web page', plan: { nonAnswer: 'page' }, affects: 'model of the channel' },
  { title: 'an empty object', plan: { nonAnswer: 'object' }, affects: 'model of the channel' },
  {
    title: 'a stream of nothing',
    plan: { nonAnswer: 'object' },
    stream: true,
    affects: 'model of the channel',
  },
  {
    title: 'a stream of an error in words',
    plan: { nonAnswer: 'words' },
    stream: true,
    affects: 'model of the channel',
  },
  { title: 'a 400', plan: { refuse: { status: 400 } }, affects: 'nothing' },
  { title: 'a 404', plan: { refuse: { status: 404 } }, affects: 'nothing' },
];

describe('a channel of two keys and two models', () => {
  let site: Site;
  let upstream: FakeUpstream;
  beforeAll(async () => {
    const names = ROWS.flatMap((_, at) => [`asked-${at}`, `other-${at}`]);
    const ModelRatio = Object.fromEntries(names.map((name) => [name, 1]));
    upstream = await startFakeUpstream();
    site = await aSite({ options: { RetryTimes: 0, ModelRatio } });
  });
  afterAll(async () => {
    await upstream?.close();
    await site?.close();
  });

  /** Consecutive failures that open a breaker; a cooldown shows after one per key. */
  const ENOUGH = 5;

  test.each(ROWS.map((row, at) => [row.title, row, at] as const))(
    'changes state after %s as the rules define',
    async (_title, { plan, stream = false, affects }, at) => {
      const models = `asked-${at},other-${at}`;
      const { id } = await site.addChannel({
        upstream,
        models,
        key: 'sk-one-of-two\nsk-two-of-two',
      });
      const send = (model: string) => site.call({ body: { ...CHAT, model, stream } });
      upstream.setDefault(plan);
      for (let call = 0; call < ENOUGH; call += 1) {
        const { status } = await send(`asked-${at}`);
        expect(status).toBeGreaterThanOrEqual(400);
      }
      upstream.reset();
      const [named, other] = [await send(`asked-${at}`), await send(`other-${at}`)];
      const reached = new Set(
        upstream.requests.map(({ body }) => JSON.parse(body).model as string),
      );
      expect([reached.has(`asked-${at}`), reached.has(`other-${at}`)]).toEqual([
        affects === 'nothing',
        affects !== 'key',
      ]);
      if (affects === 'key') expect([named.status, other.status]).toEqual([503, 503]);
      if (affects === 'key for the model' || affects === 'model of the channel')
        expect(named.status).toBe(503);
      if (affects !== 'nothing') expect(Number(named.headers['retry-after'])).toBeGreaterThan(0);
      await site.as(OPERATOR).channel.remove({ id });
    },
  );
});

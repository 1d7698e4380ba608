import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Databases, openDatabases } from '../../../src/store/connection/database.ts';
import { pageOfEntries } from '../../../src/store/ledger/ledger-queries.ts';
import { aSite, type OpenAnswer, type Site } from '../../support/site.ts';
import { expectedUsage } from '../../upstream/content/usage.ts';

const BODY = { messages: [{ role: 'user', content: 'Say a lot, slowly.' }], stream: true };
/** Pauses until the test releases it, then continues without delays. */
const HELD = 'gpt-4o-mini+hold:3';

describe('a stopping server', () => {
  let site: Site;
  let pools: Databases | undefined;
  afterEach(async () => {
    await pools?.close();
    await site.close();
  });

  const openStreams = async (model: string): Promise<OpenAnswer[]> => {
    site = await aSite({ config: { drainTimeoutMs: 0.05, clientGraceMs: 5 } });
    await site.option('ModelRatio', { [model]: 1 });
    await site.addChannel({ models: model });
    const answers: OpenAnswer[] = [];
    for (let call = 0; call < 5; call += 1)
      answers.push(await site.start({ body: { ...BODY, model } }));
    for (const { body } of answers) await once(body, 'data');
    return answers;
  };
  /** The contents of the database after the server has closed it. */
  const leftBehind = async () => {
    pools = await openDatabases(site.dsn);
    const logs = await pools.db('logs').where({ type: 2 }).orderBy('request_id');
    const window = { offset: 0, limit: 100 };
    const { rows } = await pageOfEntries(pools.reads, { cause: 'charge' }, window);
    expect(await pools.db('holds').select('request_id')).toEqual([]);
    expect(await pools.db('nodes').select('id')).toEqual([]);
    expect(rows.map((row) => -row.user_units).sort()).toEqual(logs.map((log) => log.quota).sort());
    return logs;
  };
  const idsOf = (answers: readonly { requestId: string }[]) =>
    answers.map(({ requestId }) => requestId).sort();

  it('reads the upstream to the end for calls it cuts off, and charges the reported usage', async () => {
    const streams = await openStreams(HELD);
    const cut = Promise.all(
      streams.map(({ body }) => new Promise((resolve) => body.once('close', resolve))),
    );
    const stopped = site.serving.stop();
    await cut;
    site.upstream.release();
    await stopped;
    const logs = await leftBehind();
    expect(logs.map((log) => log.request_id)).toEqual(idsOf(streams));
    const usage = expectedUsage({ ...BODY, model: HELD });
    for (const log of logs)
      expect(log).toMatchObject({
        usage_source: 'upstream',
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
      });
  });

  it('does not wait for a connection without a request', async () => {
    site = await aSite({ config: { drainTimeoutMs: 3_600 } });
    const idle = connect(Number(new URL(site.url).port), '127.0.0.1');
    await once(idle, 'connect');
    await site.call({ path: '/health/live', key: '' });
    await site.serving.stop();
    await leftBehind();
    idle.destroy();
  });
});

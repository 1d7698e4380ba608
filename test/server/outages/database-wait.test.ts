/** A server that starts before its database, or while that is unavailable. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ConfigFlags, loadConfig } from '../../../src/config.ts';
import { loggerTo } from '../../../src/log.ts';
import { startServer } from '../../../src/server/serve.ts';
import type { Serving } from '../../../src/server/serving.ts';
import { databases, type FreshDatabase, freshDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/ports.ts';
import { eventually } from '../../support/site.ts';
import { aLineTo, type Line } from '../../support/tcp-proxy.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { refusedCalls } from './dialect-calls.ts';

const PORTS = { postgres: 5432, mysql: 3306, sqlite: 0 };

describe.each(databases.filter(({ kind }) => kind !== 'sqlite'))(
  'a server whose $kind is unavailable',
  ({ kind }) => {
    let database: FreshDatabase;
    let line: Line;
    let folder: string;
    let port: number;
    const lines: string[] = [];
    beforeEach(async () => {
      database = await freshDatabase(kind);
      line = await aLineTo(database.dsn, PORTS[kind]);
      await line.cut();
      folder = tempFolder();
      port = await freePort();
      lines.length = 0;
    });
    afterEach(async () => {
      await database.drop();
    });

    const start = (flags: ConfigFlags = {}, signal?: AbortSignal): Promise<Serving> => {
      const config = loadConfig(
        { dataDir: folder, database: line.url, port, web: false, ...flags },
        {},
      );
      const log = loggerTo('info', { write: (text) => void lines.push(text) });
      return startServer(config, { log, ...(signal && { signal }) });
    };
    const send = async (at: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}${at}`).catch(() => undefined);
      return answer?.status ?? 0;
    };
    const isWaiting = () => lines.some((text) => text.includes('does not answer; waiting'));

    test('waits for it, logs once, stays alive meanwhile and serves when it is available', async () => {
      const starting = start();
      await eventually('it waits', async () => (await send('/health/live')) === 200);
      expect(await send('/health/ready')).toBe(503);
      expect(await send('/v1/models')).toBe(503);
      for (const [name, { path = '/v1/chat/completions', body }, pattern] of [
        ...refusedCalls('database_unreachable'),
        ['management', { path: '/api/status' }, /"success":false.*"code":"database_unreachable"/],
      ] as const) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
          ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        expect([name, answer.status, answer.headers.get('retry-after')]).toEqual([name, 503, '1']);
        expect(text).toMatch(pattern);
        expect(text).not.toContain('127.0.0.1');
        const requestId = answer.headers.get('x-request-id') ?? '';
        expect(requestId).not.toBe('');
        if (name !== 'management') expect(text).toContain(requestId);
      }
      await line.repair();
      const serving = await starting;
      expect(await send('/health/ready')).toBe(200);
      expect(lines.filter((text) => text.includes('does not answer; waiting'))).toHaveLength(1);
      await serving.stop();
      await line.cut();
    });

    test('gives up after the configured time', async () => {
      await expect(start({ databaseWaitMs: 1 })).rejects.toMatchObject({
        code: 'database_unreachable',
      });
      expect(isWaiting()).toBe(true);
      expect(await send('/health/live')).toBe(0);
    });

    test('ends immediately when stopped', async () => {
      const leaving = new AbortController();
      const starting = start({}, leaving.signal).catch((error: unknown) => error);
      await eventually('it waits', async () => isWaiting());
      leaving.abort();
      expect(await starting).toMatchObject({ code: 'database_unreachable' });
    });

    test('does not wait if the database does not exist', async () => {
      const url = new URL(database.dsn);
      url.pathname = '/no_such_database';
      const refusal: unknown = await start({ database: url.href }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: 'database_refused',
        params: { reason: expect.stringContaining('no_such_database') },
      });
      expect(isWaiting()).toBe(false);
    });
  },
);

test('a file that cannot be opened is not waited for', async () => {
  const folder = tempFolder();
  const lines: string[] = [];
  const log = loggerTo('info', { write: (text) => void lines.push(text) });
  const config = loadConfig({ dataDir: folder, database: folder, port: 0, web: false }, {});
  await expect(startServer(config, { log })).rejects.toMatchObject({ code: expect.any(String) });
  expect(lines.join('')).not.toContain('does not answer; waiting');
});

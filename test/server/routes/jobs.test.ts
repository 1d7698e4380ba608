/** Background jobs of a serving process, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabases } from '../../../src/store/connection/database.ts';
import { jobRuns } from '../../../src/store/tables/job-runs-table.ts';
import { apiClient } from '../../support/api-client.ts';
import { databases } from '../../support/databases.ts';
import { aSite, eventually, OPERATOR, type Site } from '../../support/site.ts';

describe.each(databases)('jobs of a server on $kind', ({ kind }) => {
  let site: Site;
  beforeAll(async () => {
    site = await aSite({ database: kind });
  });
  afterAll(() => site.close());

  const program = async (role: 1 | 10 | 100) => {
    const { id } = await site.addUser({ role });
    return apiClient(site, await site.as(OPERATOR).user.newAccessToken({ id }));
  };
  const cleanup = async () =>
    (await site.as(OPERATOR).job.list({})).find((job) => job.name === 'cleanup');

  it('run soon after a super admin starts them', async () => {
    const root = await program(100);
    const reply = await root.send('POST', '/api/job/cleanup/run');
    expect(reply.body).toMatchObject({ success: true, data: { name: 'cleanup' } });
    const job = await eventually('the job has run', async () => {
      const seen = await cleanup();
      return seen?.outcome === 'done' ? seen : undefined;
    });
    expect(job.owner).toBe(site.ctx.node);
  });

  it('are visible to admins, started by super admins only, and hidden from users', async () => {
    const admin = await program(10);
    const list = await admin.send('GET', '/api/job/');
    expect(list.body.data.map((job: { name: string }) => job.name)).toContain('token_expiry');
    const denied = { success: false, code: 'permission_denied' };
    expect((await admin.send('POST', '/api/job/cleanup/run')).body).toMatchObject(denied);
    const user = await program(1);
    expect((await user.send('GET', '/api/job/')).body).toMatchObject(denied);
    expect((await user.send('GET', '/api/mj/')).body).toMatchObject(denied);
    expect((await user.send('GET', '/api/task/')).body).toMatchObject(denied);
    expect((await user.send('GET', '/api/mj/self')).body.data).toMatchObject({
      items: [],
      total: 0,
    });
    expect((await user.send('GET', '/api/task/self/')).body.data).toMatchObject({ items: [] });
  });

  it('leave no lease behind when the server stops', async () => {
    const root = await program(100);
    await root.send('POST', '/api/job/cleanup/run');
    await site.serving.stop();
    const pools = await openDatabases(site.dsn);
    const held = (await jobRuns(pools.db)).filter((run) => run.isHeld);
    await pools.close();
    expect(held).toEqual([]);
  });
});

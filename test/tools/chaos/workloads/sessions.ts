/** Sessions: created on one node, used on all others, and ended everywhere by the sign-out. */
import { changesBy, Tally, type Workload, type WorkloadContext } from './workload.ts';

export function sessionWorkload(context: WorkloadContext): Workload {
  const { cluster, client } = context;
  const { people } = cluster.setup;
  const tally = new Tally();
  const change = changesBy(context, tally);
  const ended: string[] = [];

  /** Calls `wrong` for every node that gave the other result. */
  const askAll = async (cookie: string, expected: 'done' | 'refused', wrong: () => void) => {
    const calls = cluster.nodes.map((node) =>
      client.send({ url: cluster.nodeUrl(node), method: 'GET', path: '/api/user/self', cookie }),
    );
    for (const { kind } of await Promise.all(calls))
      if (kind !== 'unknown' && kind !== expected) wrong();
  };

  return {
    name: 'sessions started and ended',
    everyMs: 3_000,
    tally,
    async runOnce() {
      const { username = '', password = '' } = people[context.next() % people.length] ?? {};
      const begun = await change('POST /api/user/login', { body: { username, password } });
      if (begun.kind !== 'done') return;
      const { cookie } = begun;
      await askAll(cookie, 'done', () => tally.found('lost', `a session of ${username}`));
      const left = await change('POST /api/user/logout', { cookie, insists: true });
      if (left.kind !== 'done') return;
      ended.push(cookie);
      const revived = () => tally.found('revived', `a session of ${username}`);
      context.inBackground(askAll(cookie, 'refused', revived));
    },
    async judge() {
      for (const cookie of ended.slice(-20))
        await askAll(cookie, 'refused', () => tally.found('revived', 'a session, at the end'));
    },
  };
}

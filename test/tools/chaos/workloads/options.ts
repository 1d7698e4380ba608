/** Changes one option repeatedly and reads it from every node a second after each change. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  changesBy,
  SEEN_WITHIN_MS,
  Tally,
  type Workload,
  type WorkloadContext,
} from './workload.ts';

const OPTION = 'SystemName';

export function optionWorkload(context: WorkloadContext): Workload {
  const { cluster, client } = context;
  const tally = new Tally();
  const change = changesBy(context, tally);
  let acknowledged = 0;
  /** Numbers that may have been written or may still be. */
  const perhaps = new Set<number>();

  const isRight = (number: number, atLeast: number) => number >= atLeast || perhaps.has(number);

  /** The number a node returns; undefined without a response or if the node is not ready. */
  const shownBy = async (url: string): Promise<number | undefined> => {
    const shown = await client.send({ url, method: 'GET', path: '/api/status' });
    const ready = await client.send({ url, method: 'GET', path: '/health/ready' });
    if (shown.kind !== 'done' || ready.kind !== 'done') return undefined;
    return numberIn(shown.data.system_name);
  };

  const seen = async (atLeast: number): Promise<void> => {
    await pause(SEEN_WITHIN_MS);
    await Promise.all(
      cluster.nodes.map(async (node) => {
        const isOld = async () => {
          const number = await shownBy(cluster.nodeUrl(node));
          return number !== undefined && !isRight(number, atLeast);
        };
        if (!(await isOld())) return;
        // A node cut off from the database cannot know better and needs a second to notice.
        await pause(2 * SEEN_WITHIN_MS);
        if (await isOld())
          tally.found('stale', `${node.name} shows an option older than ${atLeast}`);
      }),
    );
  };

  return {
    name: 'option changed, seen on all nodes',
    everyMs: 2_000,
    tally,
    async runOnce() {
      const number = context.next();
      perhaps.add(number);
      const body = { key: OPTION, value: `chaos ${number}` };
      const { accessToken: token } = cluster.setup.admin;
      if ((await change('PUT /api/option/', { token, body })).kind !== 'done') return;
      acknowledged = number;
      perhaps.delete(number);
      context.inBackground(seen(number));
    },
    async judge({ reads }) {
      const row = await reads('options').where({ key: OPTION }).first('value');
      const number = numberIn(row?.value);
      if (!isRight(number, acknowledged))
        tally.found('lost', `the option is ${number}, not ${acknowledged}`);
    },
  };
}

function numberIn(text: unknown): number {
  return Number(/chaos (\d+)/.exec(String(text))?.[1] ?? 0);
}

/**
 * API tokens from creation to deletion: renamed, used and disabled, with each change checked on
 * every node.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  changesBy,
  SEEN_WITHIN_MS,
  Tally,
  type Workload,
  type WorkloadContext,
} from './workload.ts';

interface Known {
  readonly id: number;
  /** The name of the latest acknowledged change. */
  name: string;
  /** Names that may or may not be in effect. */
  readonly perhaps: Set<string>;
  end: 'none' | 'acknowledged' | 'unknown';
}

export function tokenWorkload(context: WorkloadContext): Workload {
  const { cluster, client } = context;
  const { admin, people } = cluster.setup;
  const tally = new Tally();
  const change = changesBy(context, tally);
  const known: Known[] = [];
  const asAdmin = { token: admin.accessToken, insists: true };

  const create = async (name: string) => {
    const body = { name, user: people[1]?.id, remain_quota: 1_000 };
    const made = await change('POST /api/token/', { ...asAdmin, body, insists: false });
    if (made.kind !== 'done') return undefined;
    const token: Known = { id: Number(made.data.id), name, perhaps: new Set(), end: 'none' };
    known.push(token);
    return { token, key: String(made.data.key) };
  };

  const edit = async (token: Known, fields: { name: string; status?: 1 | 2 }) => {
    token.perhaps.add(fields.name);
    const body = { id: token.id, ...fields };
    if ((await change('PUT /api/token/', { ...asAdmin, body })).kind !== 'done') return false;
    token.name = fields.name;
    return true;
  };

  /** Whether a node accepts the key; undefined if unknown. */
  const isAccepted = async (url: string, key: string): Promise<boolean | undefined> => {
    const answer = await client.send({ url, method: 'GET', path: '/v1/models', token: key });
    return answer.kind === 'unknown' ? undefined : answer.kind === 'done';
  };

  const everywhere = (key: string, isRight: (isIn: boolean) => boolean, wrong: () => void) =>
    Promise.all(
      cluster.nodes.map(async (node) => {
        const isIn = await isAccepted(cluster.nodeUrl(node), key);
        if (isIn !== undefined && !isRight(isIn)) wrong();
      }),
    );

  const runOnce = async (): Promise<void> => {
    const made = await create(`token-${context.next()}`);
    if (made === undefined) return;
    const { token, key } = made;
    const lost = () => tally.found('lost', `token ${token.id} is not known to a node`);
    await everywhere(key, (isIn) => isIn, lost);
    if (!(await edit(token, { name: `token-${context.next()}`, status: 2 }))) return;
    await pause(SEEN_WITHIN_MS);
    const stale = () => tally.found('stale', `disabled token ${token.id} is accepted`);
    await everywhere(key, (isIn) => !isIn, stale);
    // Half of them are kept and checked at the end.
    if (context.random() < 0.5) return;
    const ended = await change(`DELETE /api/token/${token.id}`, asAdmin);
    token.end = ended.kind === 'done' ? 'acknowledged' : 'unknown';
  };

  return {
    name: 'tokens created, disabled, deleted',
    everyMs: 3_000,
    tally,
    runOnce: async () => context.inBackground(runOnce()),
    async judge({ reads }) {
      const rows = await reads('tokens').select('id', 'name', 'status', 'deleted_at');
      const byId = new Map(rows.map((row) => [Number(row.id), row]));
      for (const { id, name, perhaps, end } of known) {
        const row = byId.get(id);
        const isDeleted = row?.deleted_at !== null && row?.deleted_at !== undefined;
        if (row === undefined) tally.found('lost', `token ${id} is gone`);
        else if (row.name !== name && !perhaps.has(row.name))
          tally.found('lost', `token ${id} is called ${row.name}, not ${name}`);
        else if (end === 'acknowledged' && !isDeleted)
          tally.found('lost', `token ${id} is there again`);
        else if (end === 'none' && isDeleted) tally.found('lost', `token ${id} was deleted`);
      }
    },
  };
}

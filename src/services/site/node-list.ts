/** The serving processes as administrators see them. Heartbeats are in `nodes.ts`. */
import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import type { Node, nodeCalls } from '../../api/site/node.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { type NodeRow, nodeRows } from '../../store/tables/nodes-table.ts';
import { writing } from '../cluster/announced-write.ts';
import { recordAction } from '../logs/audit.ts';

type Calls = Service<typeof nodeCalls, Context>;

/** Three heartbeats. */
const SILENT_AFTER_SEC = 15;

export const list: Calls['list'] = async (ctx) => (await nodeRows(ctx.reads)).map(shown);

/**
 * Takes effect with the node's next heartbeat. Workers share a socket, so all nodes of the process
 * drain.
 * @throws AppError node_missing.
 */
export const drain: Calls['drain'] = (ctx, actor, { id }) =>
  writing(ctx, async (ctx) => {
    const nodes = await nodeRows(ctx.db);
    const named = nodes.find((node) => node.id === id);
    if (named === undefined) throw new AppError('node_missing', { node: id });
    const family = nodes.filter((node) => node === named || isSibling(node, named));
    const ids = family.map((node) => node.id);
    await ctx.db('nodes').whereIn('id', ids).where({ state: 'serving' }).update({ state: 'told' });
    await recordAction(ctx, actor, {
      action: 'node_drain',
      event: { event: 'node_drained', params: { host: hostOf(named), pid: named.pid } },
      facts: { nodes: ids },
    });
    return (await nodeRows(ctx.db)).filter((node) => ids.includes(node.id)).map(shown);
  });

function isSibling(one: NodeRow, other: NodeRow): boolean {
  return one.primary_pid !== 0 && one.primary_pid === other.primary_pid && one.host === other.host;
}

function shown(node: NodeRow): z.input<typeof Node> {
  const { silent_sec: _, ...row } = node;
  return { ...row, host: hostOf(node), state: stateOf(node) };
}

function stateOf({ state, silent_sec }: NodeRow): z.input<typeof Node>['state'] {
  if (silent_sec > SILENT_AFTER_SEC) return 'silent';
  return state === 'told' ? 'draining' : state;
}

/** Only the host name; the rest makes it unique for the gateway (`processTable`). */
function hostOf({ host }: NodeRow): string {
  return host.split(' ', 1)[0] ?? '';
}

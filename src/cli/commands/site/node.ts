/** `gateway node`: lists and drains the serving processes. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../domain/errors/errors.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import type { View } from '../../output/render-reply.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { replyCommand } from '../common-verbs.ts';

export const NODES_VIEW: View = {
  columns: ['id', 'host', 'pid', 'version', 'state', 'calls', 'started_at'],
  wide: ['primary_pid', 'seen_at', 'skew_ms'],
};

const WAIT_MS = 120_000;
const POLL_INTERVAL_MS = 1_000;

type Nodes = Awaited<ReturnType<LocalApi['node']['list']>>;

const list = replyCommand('list', ['list', 'list --json'], NODES_VIEW, (api) => api.node.list({}));

const drain = command({
  usage: 'drain <node>',
  flags: ['--wait'],
  examples: ['drain gateway2', 'drain gateway2 --wait --timeout 5m'],
  ownsSignal: true,
  ownsTimeout: true,
  async run(cli, { node, wait = false }) {
    const api = await cli.api();
    const named = (await api.node.list({})).filter(({ id, host }) => id === node || host === node);
    if (named.length === 0) throw new AppError('node_missing', { node });
    const draining = new Map<string, Nodes[number]>();
    for (const { id } of named)
      if (!draining.has(id))
        for (const one of await api.node.drain({ id })) draining.set(one.id, one);
    if (!wait) {
      await cli.print([...draining.values()], NODES_VIEW);
      return EXIT.ok;
    }
    const left = await drained(cli, api, new Set(draining.keys()));
    await cli.print(left, NODES_VIEW);
    if (cli.io.signal.aborted) return EXIT.interrupted;
    return left.every(({ state }) => state === 'drained') ? EXIT.ok : EXIT.waitRanOut;
  },
});

/** Returns the nodes once all have drained or the time is over; ended ones are left out. */
async function drained(cli: Cli, api: LocalApi, ids: ReadonlySet<string>): Promise<Nodes> {
  const { signal } = cli.io;
  const waitMs = cli.values.duration('--timeout', cli.globals.timeout) ?? WAIT_MS;
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const nodes = (await api.node.list({})).filter(({ id }) => ids.has(id));
    const isOver = performance.now() >= untilMs || signal.aborted;
    if (isOver || nodes.every(({ state }) => state === 'drained')) return nodes;
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

export const node: Noun = { name: 'node', verbs: [list, drain] };

/** `gateway status`: set-up state, availability, totals and background jobs. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../domain/errors/errors.ts';
import type { LocalApi } from '../../../session/session.ts';
import { VERSION } from '../../../version.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import type { View } from '../../output/render-reply.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { isReachable, serverAddressOf } from '../../servers/server-address.ts';
import { NODES_VIEW } from './node.ts';

const VIEW: View = {
  columns: [
    'version',
    'setup',
    'server',
    'url',
    'database',
    'engine',
    'users',
    'channels',
    'tokens',
  ],
  id: 'url',
  brief: true,
};

const JOBS_VIEW: View = {
  columns: [
    'name',
    'state',
    'last_run',
    'outcome',
    'done',
    'total',
    'duration_ms',
    'next_run',
    'owner',
  ],
  wide: ['interval', 'error', 'summary'],
  id: 'name',
};

const WAIT_MS = 60_000;
const PING_EVERY_MS = 250;

const run = command({
  usage: 'status',
  flags: ['--wait'],
  examples: ['status', 'status --wait --timeout 90s', 'status --json'],
  ownsSignal: true,
  ownsTimeout: true,
  async run(cli, { wait = false }) {
    const isThere = !wait || (await waitFor(cli));
    const url = await serverAddressOf(cli);
    if (!isThere) {
      if (cli.io.signal.aborted) return EXIT.interrupted;
      cli.io.err(`${cli.t('cli.notes.no_answer', { url })}\n`);
      return EXIT.waitRanOut;
    }
    const server = (await isReachable(url)) ? 'up' : 'down';
    const facts = await factsOf(cli);
    await cli.print({ version: VERSION, server, url, ...facts }, VIEW);
    const isForReading = cli.isTableOutput() && !cli.globals.fields;
    if (isForReading && facts.nodes?.length)
      await cli.printSection(cli.t('cli.sections.nodes'), facts.nodes, NODES_VIEW);
    if (isForReading && facts.jobs !== undefined)
      await cli.printSection(cli.t('cli.sections.jobs'), facts.jobs, JOBS_VIEW);
    // Who waits for a server, such as its unit, also starts one that is set up in the browser.
    return facts.setup || wait ? EXIT.ok : EXIT.checkFailed;
  },
});

interface Facts {
  readonly setup: boolean;
  readonly nodes?: readonly object[];
  readonly jobs?: readonly object[];
  readonly [name: string]: unknown;
}

/** A site that is not set up is a normal status, not an error. */
async function factsOf(cli: Cli): Promise<Facts> {
  try {
    const { api, location, ctx } = await cli.session();
    return {
      setup: (await api.status.get({})).setup,
      database: location,
      ...(ctx !== undefined && { engine: ctx.engine }),
      ...(await countsOf(api).catch(nothingIfDenied)),
    };
  } catch (error) {
    if (error instanceof AppError && NOT_SET_UP.has(error.code)) return { setup: false };
    throw error;
  }
}

const NOT_SET_UP: ReadonlySet<string> = new Set(['database_missing', 'database_empty']);

async function countsOf(api: LocalApi) {
  const page_size = 1;
  return {
    users: (await api.user.list({ page_size })).total,
    channels: (await api.channel.list({ page_size })).total,
    tokens: (await api.token.list({ page_size, everyone: true })).total,
    nodes: await api.node.list({}),
    jobs: await api.job.list({}),
  };
}

/** Guests and regular users may see the server's state, but not its totals. */
function nothingIfDenied(error: unknown): object {
  const isDenied =
    error instanceof AppError && ['forbidden', 'unauthenticated'].includes(error.row.kind);
  if (!isDenied) throw error;
  return {};
}

/** The address is resolved at each attempt, because a starting server announces its own. */
async function waitFor(cli: Cli): Promise<boolean> {
  const waitMs = cli.values.duration('--timeout', cli.globals.timeout) ?? WAIT_MS;
  const { signal } = cli.io;
  for (const until = performance.now() + waitMs; performance.now() < until && !signal.aborted; ) {
    if (await isReachable(await serverAddressOf(cli))) return true;
    await pause(PING_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

const versionRun = command({
  usage: 'version',
  examples: ['version', 'version --json'],
  async run(cli) {
    const { node } = process.versions;
    const facts = { version: VERSION, node, platform: `${process.platform}-${process.arch}` };
    await cli.print(facts, { columns: ['version'], id: 'version' });
  },
});

export const status: Noun = { name: 'status', verbs: [run] };
export const version: Noun = { name: 'version', verbs: [versionRun] };

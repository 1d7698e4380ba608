/** `gateway status`: is it set up, does it answer, how much is in it. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { VERSION } from '../../version.ts';
import type { Cli } from '../cli.ts';
import { command, type Noun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { View } from '../output.ts';
import { localUrl } from '../snippets.ts';

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

const WAIT_MS = 60_000;
const PING_EVERY_MS = 250;
const PING_TIMEOUT_MS = 2000;

const run = command({
  usage: 'status',
  flags: ['--wait'],
  examples: ['status', 'status --wait --timeout 90s', 'status --json'],
  ownsSignal: true,
  async run(cli, { wait = false }) {
    const { host, port } = await cli.config();
    const url = localUrl(host, port);
    if (wait && !(await waitFor(cli, url))) {
      if (cli.io.signal.aborted) return EXIT.interrupted;
      cli.io.err(`${cli.t('cli.say.no_answer', { url })}\n`);
      return EXIT.waitRanOut;
    }
    const server = (await answers(url)) ? 'up' : 'down';
    await cli.print({ version: VERSION, server, url, ...(await factsOf(cli)) }, VIEW);
  },
});

/** A site that is not set up yet is a state to tell, not a failure. */
async function factsOf(cli: Cli): Promise<object> {
  try {
    const { api, location, ctx } = await cli.session();
    const page_size = 1;
    return {
      setup: (await api.status.get({})).setup,
      database: location,
      engine: ctx.engine,
      users: (await api.user.list({ page_size })).total,
      channels: (await api.channel.list({ page_size })).total,
      tokens: (await api.token.list({ page_size })).total,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'schema_behind') return { setup: false };
    throw error;
  }
}

async function waitFor(cli: Cli, url: string): Promise<boolean> {
  const { timeout } = cli.globals;
  const waitMs = timeout === undefined ? WAIT_MS : cli.values.duration('--timeout', timeout);
  const { signal } = cli.io;
  for (const until = performance.now() + waitMs; performance.now() < until && !signal.aborted; ) {
    if (await answers(url)) return true;
    await pause(PING_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** Whether a gateway listens there: only it knows this path. */
async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/status`, {
      signal: AbortSignal.timeout(PING_TIMEOUT_MS),
    });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null && 'success' in body && body.success === true;
  } catch {
    // Refused, silent or something else altogether: no gateway answers there.
    return false;
  }
}

const versionRun = command({
  usage: 'version',
  examples: ['version', 'version --json'],
  async run(cli) {
    const { node } = process.versions;
    await cli.print(
      { version: VERSION, node, platform: `${process.platform}-${process.arch}` },
      { columns: ['version'], id: 'version' },
    );
  },
});

export const status: Noun = { name: 'status', verbs: [run] };
export const version: Noun = { name: 'version', verbs: [versionRun] };

/** `gateway channel watch`: prints a line whenever a channel's health changes. */
import { setTimeout as pause } from 'node:timers/promises';
import { CHANNEL_STATUS, statusWord } from '../../../domain/statuses.ts';
import { oneLine } from '../../../session/text.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { type Channel, findChannels } from '../../lookup/find-by-name.ts';
import { allItems } from '../../lookup/paged-lists.ts';
import { selectFields, type View } from '../../output/render-reply.ts';
import { EXIT } from '../../process/exit-codes.ts';

const COLUMNS = ['at', 'name', 'status', 'health', 'message'];
const VIEW: View = { columns: COLUMNS };

const EVERY_MS = 5000;

type State = ReturnType<typeof stateOf>;

export const watch = command({
  usage: 'watch [channels...]',
  flags: ['--tag <tag>', '--interval <time>', '--until <state>'],
  examples: [
    'watch',
    'watch openai-main --interval 5s --until healthy --timeout 2m',
    'watch --tag prod --json',
  ],
  ownsSignal: true,
  ownsTimeout: true,
  async run(cli, { channels: names, tag, interval, until }) {
    const { values, globals, io } = cli;
    const goal = values.choice('--until', until, ['healthy', 'failing']);
    const everyMs = values.duration('--interval', interval) ?? EVERY_MS;
    const timeoutMs = values.duration('--timeout', globals.timeout) ?? Number.POSITIVE_INFINITY;
    const endsAtMs = performance.now() + timeoutMs;
    const printed = new Map<number, string>();
    for (;;) {
      const states = (await watchedChannels(cli, names, tag)).map(stateOf);
      for (const state of states) printChange(cli, printed, state);
      if (goal !== undefined && isReached(goal, states)) return EXIT.ok;
      const leftMs = endsAtMs - performance.now();
      if (leftMs <= 0) return EXIT.waitRanOut;
      await pause(Math.min(everyMs, leftMs), undefined, { signal: io.signal }).catch(() => {});
      if (io.signal.aborted) return EXIT.interrupted;
    }
  },
});

function isReached(goal: 'healthy' | 'failing', states: readonly State[]): boolean {
  return goal === 'healthy' ? states.length > 0 && states.every(isHealthy) : states.some(isFailing);
}

function isHealthy({ status, health }: State): boolean {
  return status === 'enabled' && health === 'working';
}

function isFailing({ status, health }: State): boolean {
  return status === 'auto_disabled' || health === 'failing';
}

async function watchedChannels(
  cli: Cli,
  names: readonly string[],
  tag: string | undefined,
): Promise<readonly Channel[]> {
  if (names.length > 0) return findChannels(cli, names);
  const api = await cli.api();
  const items = await allItems(api.channel.list, { tag });
  // Manually disabled channels are not watched.
  return items.filter(({ status }) => status !== CHANNEL_STATUS.disabled);
}

/** The printed state of a channel; latency and message are those of its latest call or test. */
function stateOf({ id, name, status, health, latest_outcome: latest }: Channel) {
  return {
    id,
    name,
    status: statusWord(CHANNEL_STATUS, status),
    health,
    latency_ms: latest?.latency_ms ?? 0,
    message: latest?.message ?? '',
  };
}

/** A change of only the latency prints nothing. */
function printChange(cli: Cli, printed: Map<number, string>, state: State): void {
  const { id, name, status, health, message } = state;
  const summary = JSON.stringify([name, status, health, message]);
  if (printed.get(id) === summary) return;
  printed.set(id, summary);
  const document = { at: new Date().toISOString(), ...state };
  const fields = cli.values.list(cli.globals.fields);
  const isDocument = !cli.isTableOutput();
  const shown = selectFields(document, isDocument ? fields : (fields ?? COLUMNS), VIEW);
  const text = isDocument
    ? JSON.stringify(shown)
    : Object.values(shown)
        .map((value) => oneLine(String(value ?? '')))
        .join(cli.io.isTTY ? '  ' : '\t')
        .trimEnd();
  cli.io.out(`${text}\n`);
}

/**
 * The cost of an event if client and upstream use different dialects, compared with passed-through
 * streams: every client over every upstream, interleaved, in packets of one event each.
 */
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import { CLIENTS } from '../../system/matrix/clients.ts';
import { cpuUsOf } from './environment/processes.ts';
import { median, round, streamLoad, type Target } from './load.ts';

export const EVENTS = 200;

interface Upstream {
  readonly name: DialectName;
  /** The value of `--type`. */
  readonly type: string;
  readonly model: string;
}

/** Model names that select the mock's output; about one event per packet. */
const PLAN = `+events:${EVENTS}:20+split:260`;

export const UPSTREAMS: readonly Upstream[] = [
  { name: 'chat', type: 'openai', model: `gpt-4o-mini${PLAN}` },
  { name: 'anthropic', type: 'claude', model: `claude-sonnet-4-5${PLAN}` },
  { name: 'gemini', type: 'gemini', model: `gemini-3.1-pro${PLAN}` },
  { name: 'responses', type: 'openai', model: `gpt-5.3-codex${PLAN}` },
];

export function pairModel(upstream: DialectName): string {
  return `over-${upstream}`;
}

const TEXT = 'Tell me in a few sentences why the sky is blue. '.repeat(20);

interface Round {
  readonly target: Target;
  readonly pids: readonly number[];
  readonly rounds: number;
  readonly streams: number;
}

/** Gateway CPU time per text event in microseconds, by `client over upstream`. */
export async function measurePairs({ target, pids, rounds, streams }: Round) {
  const rows: Record<string, number[]> = {};
  for (let at = 0; at <= rounds; at += 1) {
    for (const client of CLIENTS) {
      for (const { name } of UPSTREAMS) {
        const request = { text: TEXT, stream: true, maxTokens: 4096 };
        const { path = '', body } = client.request(pairModel(name), request);
        const before = cpuUsOf(pids);
        const { incomplete } = await streamLoad(
          target,
          { path, body, end: ENDS[client.name] },
          streams,
          8,
        );
        if (incomplete > 0) throw new Error(`${client.name} over ${name}: ${incomplete} broken`);
        const cost = (cpuUsOf(pids) - before) / (streams * EVENTS);
        const title = `${client.name} over ${name}`;
        if (at > 0) rows[title] = [...(rows[title] ?? []), cost]; // round 0 warms up
      }
    }
  }
  return Object.fromEntries(
    Object.entries(rows).map(([title, costs]) => [title, { cpu_us_per_event: median(costs) }]),
  );
}

/** The end of a complete stream, by dialect. */
const ENDS: Readonly<Record<DialectName, RegExp>> = {
  chat: /data: \[DONE\]\n\n$/,
  anthropic: /event: message_stop\n.*\n\n$/,
  gemini: /"finishReason":"STOP".*\r?\n\r?\n$/,
  responses: /event: response\.completed\n.*\n\n$/,
};

/** Prints each pair next to the passed-through stream of the same client. */
export function printPairs(rows: Readonly<Record<string, { cpu_us_per_event: number }>>): void {
  const lines = Object.entries(rows).map(([title, { cpu_us_per_event: cost }]) => {
    const [client = ''] = title.split(' ');
    const through = rows[`${client} over ${client}`]?.cpu_us_per_event ?? cost;
    return [title, { us: round(cost), 'x passthrough': round(cost / through) }];
  });
  console.log('\npairs: CPU per streamed event');
  console.table(Object.fromEntries(lines));
}

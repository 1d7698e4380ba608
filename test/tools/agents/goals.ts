/** What each agent does with which balance, and what it must reach. */
import type { Client } from '../../../src/domain/coding-clients.ts';
import type { Calls } from './calls.ts';
import { claudeArgs, codexArgs } from './programs.ts';
import { dividedTask, readingTask } from './script.ts';
import { MODELS } from './site.ts';

export interface Goal {
  readonly name: string;
  readonly client: Client;
  readonly model: string;
  readonly args: readonly string[];
  readonly usd: number;
  /** Whether the upstream charges less for what it read before. */
  readonly caches: boolean;
  /** What is wrong with the calls; undefined if the goal is met. */
  readonly missed: (calls: Calls) => string | undefined;
}

const LEAST_CALLS = 30;
/** More steps than any balance here pays for. */
const ENDLESS = readingTask(5_000);
const CLAUDE = { client: 'claude', model: MODELS.haiku, usd: 1, caches: false } as const;
const CODEX = { client: 'codex', model: MODELS.codex, usd: 1, caches: false } as const;

/**
 * A refused call leaves less than its prompt may cost at the highest rate. With a cache a call costs
 * a fraction of that, so more is left.
 */
export const GOALS: readonly Goal[] = [
  {
    ...CLAUDE,
    name: 'Claude Code with four tools',
    args: claudeArgs(ENDLESS, 'Bash,Edit,Read,Write'),
    missed: (calls) => missedShare(calls, 0.95),
  },
  {
    ...CLAUDE,
    name: 'Claude Code with all tools',
    args: claudeArgs(ENDLESS),
    missed: (calls) => missedShare(calls, 0.95),
  },
  {
    ...CLAUDE,
    name: 'Claude Code with a cache',
    args: claudeArgs(ENDLESS, 'Bash,Edit,Read,Write'),
    caches: true,
    missed: (calls) => missedShare(calls, 0.93),
  },
  {
    ...CODEX,
    name: 'Codex',
    args: codexArgs(ENDLESS),
    missed: (calls) => missedShare(calls, 0.95),
  },
  {
    ...CLAUDE,
    name: 'Claude Code with ten agents at once',
    model: MODELS.sonnet,
    usd: 5,
    args: claudeArgs(dividedTask(10, 12)),
    missed: ({ answered, refusedAtUsd }) => {
      if (answered < LEAST_CALLS) return `${answered} calls`;
      const early = refusedAtUsd.filter((spent) => spent <= 2.5).length;
      return early === 0 ? undefined : `${early} refused while half was left`;
    },
  },
  {
    ...CODEX,
    name: 'Codex with one question',
    usd: 0.05,
    args: codexArgs('hi'),
    missed: ({ answered, refusedAtUsd }) =>
      answered === 1 && refusedAtUsd.length === 0 ? undefined : `${answered} calls answered`,
  },
];

/** Of a balance of 1 USD. */
function missedShare({ answered, refusedAtUsd: [first] }: Calls, least: number) {
  if (answered < LEAST_CALLS) return `${answered} calls`;
  if (first === undefined) return 'never refused';
  return first >= least ? undefined : `below ${100 * least} %`;
}

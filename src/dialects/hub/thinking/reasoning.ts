/**
 * Reasoning effort in one form for effort levels, token budgets and on/off switches. Fixed
 * thresholds convert between budgets and levels, so that a value keeps its meaning in a round trip.
 */

export const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

export type Reasoning = (
  | { readonly mode: 'off' }
  /** The model decides. */
  | { readonly mode: 'auto' }
  | { readonly mode: 'budget'; readonly tokens: number }
  | { readonly mode: 'effort'; readonly level: Effort }
) & {
  /** Whether to show the thinking; absent: the dialect's default. */
  readonly visible?: boolean;
};

export function isEffort(value: unknown): value is Effort {
  const levels: readonly unknown[] = EFFORTS;
  return levels.includes(value);
}

const LOW_BUDGET = 1024;
const MEDIUM_BUDGET = 8192;
const HIGH_BUDGET = 24_576;

const BUDGETS: Readonly<Record<Effort, number>> = {
  minimal: LOW_BUDGET,
  low: LOW_BUDGET,
  medium: MEDIUM_BUDGET,
  high: HIGH_BUDGET,
  xhigh: 2 * HIGH_BUDGET,
  max: Number.MAX_SAFE_INTEGER,
};

/** The effort level equivalent to a budget. */
function effortOfBudget(tokens: number): Effort {
  if (tokens <= LOW_BUDGET) return 'low';
  return tokens <= MEDIUM_BUDGET ? 'medium' : 'high';
}

/** The token budget of a level; the caller limits it to the model's maximum. */
export function budgetOfEffort(level: Effort): number {
  return BUDGETS[level];
}

/** Vendors accept no smaller budget. */
const LEAST_BUDGET = 1024;
/** Tokens of a limit that are left for the answer. */
const ANSWER_TOKENS = 1024;

/** A budget that leaves room for an answer within an output limit, if the limit allows both. */
export function budgetWithin(tokens: number, limit: number): number {
  return Math.min(tokens, Math.max(LEAST_BUDGET, limit - ANSWER_TOKENS));
}

/** The level of an effort or budget; `undefined` for off and auto. */
export function effortOf(reasoning: Reasoning): Effort | undefined {
  if (reasoning.mode === 'effort') return reasoning.level;
  return reasoning.mode === 'budget' ? effortOfBudget(reasoning.tokens) : undefined;
}

/** The nearest level the model supports: the next lower one, else its lowest. */
export function nearestEffort(level: Effort, known: readonly Effort[]): Effort {
  const wanted = EFFORTS.indexOf(level);
  const ordered = EFFORTS.filter((candidate) => known.includes(candidate));
  return (
    ordered.findLast((candidate) => EFFORTS.indexOf(candidate) <= wanted) ?? ordered[0] ?? 'low'
  );
}

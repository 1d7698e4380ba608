/** The type of a named plan, and the error for a plan that is not valid. */
import type { Plan } from './plan.ts';

/** Thrown for a plan that does not exist or does not parse; the message is meant for the tester. */
export class PlanError extends Error {}

export interface Preset {
  readonly means: string;
  /** `count(i, fallback)` is the i-th argument as a number, `word` the same as text. */
  readonly plan: (given: Given) => Plan;
}

export interface Given {
  readonly count: (place: number, fallback: number) => number;
  readonly word: (place: number, fallback: string) => string;
}

/** The type of a named plan, and the error for an invalid plan. */
import type { Plan } from './plan.ts';

/** Thrown for an unknown or invalid plan; the message is meant for test authors. */
export class PlanError extends Error {}

export interface Preset {
  readonly means: string;
  /** `count(i, fallback)` is the i-th argument as a number, `word` the same as text. */
  readonly plan: (given: Given) => Plan;
}

export interface Given {
  readonly count: (index: number, fallback: number) => number;
  readonly word: (index: number, fallback: string) => string;
}

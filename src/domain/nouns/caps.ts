/** The columns for the caps of a user or a token; 0 means no limit. */
import type { NounColumns } from './columns.ts';

export const CAPS = {
  max_concurrency: {
    kind: 'number',
    least: 0,
    most: 1_000_000,
    default: 0,
    flag: '--max-concurrency <n>',
  },
  /** Prompt and completion tokens per 60 seconds. */
  tokens_per_minute: {
    kind: 'number',
    least: 0,
    most: 1_000_000_000,
    default: 0,
    flag: '--tokens-per-minute <n>',
  },
} as const satisfies NounColumns;

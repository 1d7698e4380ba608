/** Exit statuses; `ERROR_KINDS` in `src/domain/errors/errors.ts` maps errors to them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  config: 3,
  denied: 4,
  missing: 5,
  refused: 6,
  unreachable: 7,
  partly: 8,
  checkFailed: 9,
  waitRanOut: 10,
  interrupted: 130,
  outputClosed: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Calls that may take something away from users. They do it, and name the impact in `warnings`
 * beside `data`; with `impact: 'ask'` they change nothing and answer with the impact as an error.
 */
import type * as z from 'zod/mini';
import { AppError, isImpactCode } from '../domain/errors/errors.ts';
import type { Call, CallClient, Calls, Visit } from './call.ts';

function isImpact(error: unknown): error is AppError {
  return error instanceof AppError && isImpactCode(error.code);
}

/** Whether the call accepts `impact`. */
export function takesImpact({ input }: Call): boolean {
  return 'shape' in input && Object.hasOwn((input as z.ZodMiniObject).shape, 'impact'); // only objects have a shape
}

/**
 * The part of the visit through which a service reports an impact, once per call.
 * @param input The parsed input of the call.
 * @param accepted Gets every impact that the caller did not ask about.
 */
export function impactReport(
  call: Call,
  input: unknown,
  accepted: (impact: AppError) => void,
): Pick<Visit, 'reportImpact'> {
  if (!takesImpact(call)) return {};
  const isAsking = Object(input).impact === 'ask';
  return {
    reportImpact(impact) {
      if (isAsking) throw impact;
      accepted(impact);
    },
  };
}

type Clients = Readonly<Record<string, CallClient<Calls>>>;
type Run = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** The same calls; those that take `impact` ask first, and are repeated after `ask` has agreed. */
export function askingBeforeImpact<A extends object>(
  api: A,
  rows: Readonly<Record<string, Calls>>,
  ask: (impact: AppError) => Promise<boolean>,
): A {
  const asking =
    (run: Run): Run =>
    async (input) => {
      try {
        return await run({ ...input, impact: 'ask' });
      } catch (error) {
        if (!isImpact(error) || !(await ask(error))) throw error;
        return run(input);
      }
    };
  const nouns = Object.entries(api as unknown as Clients).map(([noun, calls]) => {
    const entries = Object.entries(calls).map(([name, run]) => {
      const row = rows[noun]?.[name];
      return [name, row !== undefined && takesImpact(row) ? asking(run) : run];
    });
    return [noun, Object.fromEntries(entries)];
  });
  return Object.fromEntries(nouns) as unknown as A; // the same calls
}

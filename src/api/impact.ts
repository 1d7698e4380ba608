/**
 * Calls that would take something away from users answer with an error that names the impact, and
 * do it only when repeated with `force`.
 */
import type * as z from 'zod/mini';
import { AppError, isImpactCode } from '../domain/errors/errors.ts';
import type { Call, CallClient, Calls } from './call.ts';

function isImpact(error: unknown): error is AppError {
  return error instanceof AppError && isImpactCode(error.code);
}

/** Whether the call accepts `force`. */
export function takesForce({ input }: Call): boolean {
  return 'shape' in input && Object.hasOwn((input as z.ZodMiniObject).shape, 'force'); // only objects have a shape
}

type Clients = Readonly<Record<string, CallClient<Calls>>>;
type Run = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** The same calls, each run by `run`, which gets the call's function. */
function mapped(clients: Clients, run: (call: Run, noun: string, name: string) => Run): Clients {
  const nouns = Object.entries(clients).map(([noun, calls]) => {
    const entries = Object.entries(calls).map(([name, call]) => [name, run(call, noun, name)]);
    return [noun, Object.fromEntries(entries)];
  });
  return Object.fromEntries(nouns);
}

/** Repeats a call with `force` after `ask` has agreed to its impact. */
export function askingBeforeImpact<A extends object>(
  api: A,
  ask: (impact: AppError) => Promise<boolean>,
): A {
  const run = (call: Run): Run =>
    async function repeated(input) {
      try {
        return await call(input);
      } catch (error) {
        if (!isImpact(error) || !(await ask(error))) throw error;
        return call({ ...input, force: true });
      }
    };
  return mapped(api as unknown as Clients, run) as unknown as A; // the same calls
}

/** Sends `force` with every call that accepts it. */
export function forcing<A extends object>(api: A, calls: Readonly<Record<string, Calls>>): A {
  const run = (call: Run, noun: string, name: string): Run => {
    const row = calls[noun]?.[name];
    return row !== undefined && takesForce(row) ? (input) => call({ ...input, force: true }) : call;
  };
  return mapped(api as unknown as Clients, run) as unknown as A; // the same calls
}

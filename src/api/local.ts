/**
 * An in-process client for a table of calls. Input and reply pass the same schemas as over HTTP, so
 * both ways behave alike.
 */
import * as z from 'zod/mini';
import { AppError } from '../domain/errors/errors.ts';
import { invalidInput, joinedProblems } from '../domain/errors/input-problems.ts';
import { isTooDeep } from '../domain/text/json-depth.ts';
import {
  type Actor,
  type Call,
  type CallClient,
  type Calls,
  type Service,
  terminalVisit,
  type Visit,
} from './call.ts';
import { impactReport } from './impact.ts';
import { issueMessage, parseProblem } from './input-problem.ts';

/**
 * Validates a caller's input.
 * @throws AppError `input_invalid` with the wrong fields (dotted paths) and their problems.
 */
export function parseInput<C extends Call>({ input }: C, given: unknown): z.output<C['input']> {
  return parseDocument(input, given) as z.output<C['input']>; // matches the row's schema
}

/** The same for documents that are not the input of a call. @throws AppError `input_invalid`. */
export function parseDocument<S extends z.ZodMiniType>(schema: S, given: unknown): z.output<S> {
  const deep = Object.entries(Object(given)).find(([, value]) => isTooDeep(value));
  if (deep !== undefined) throw invalidInput(deep[0], 'too_deep');
  const unstorable = pathOfUnstorable(given);
  if (unstorable !== undefined) throw invalidInput(unstorable, 'has_nul');
  const parsed = z.safeParse(schema, given, { error: issueMessage });
  if (parsed.success) return parsed.data;
  const [first, ...more] = firstPerField(parsed.error.issues).map((issue) => {
    const { reason, params } = parseProblem(issue.message);
    return invalidInput(fieldOf(issue), reason, params, parsed.error);
  });
  throw joinedProblems(first ?? invalidInput('input', 'not_accepted'), more);
}

function fieldOf({ path }: z.core.$ZodIssue): string {
  return path.map(String).join('.') || 'input';
}

/** A second problem of the same field often follows from its first. */
function firstPerField(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const byField = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) {
    const field = fieldOf(issue);
    if (!byField.has(field)) byField.set(field, issue);
  }
  return [...byField.values()];
}

/** Path of a text that no database stores because it contains NUL; undefined if there is none. */
function pathOfUnstorable(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\u0000') ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = pathOfUnstorable(inner, path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Creates the client of `calls` that runs `service` directly, as `actor`.
 * @throws what the service throws; `internal` when a reply does not match its schema.
 */
export function localClient<C extends Calls, Ctx>(
  calls: C,
  service: Service<C, Ctx>,
  ctx: Ctx,
  actor: Actor,
  language: Visit['language'] = 'en',
): CallClient<C> {
  const visit = terminalVisit(language);
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    async (given: unknown) => {
      const run = service[name];
      if (run === undefined) throw new Error(`no service function for the call ${name}`);
      const input = parseInput(call, given) as Parameters<typeof run>[2]; // parsed by its schema
      // The answer of a local call has no place for the warnings.
      const reporting = { ...visit, ...impactReport(call, input, () => undefined) };
      const answer = await run(ctx, actor, input, reporting);
      const reply = z.safeParse(call.reply, answer);
      if (reply.success) return reply.data;
      throw new AppError('internal', {}, { cause: reply.error });
    },
  ]);
  return Object.fromEntries(entries) as CallClient<C>; // one function per row of the same table
}

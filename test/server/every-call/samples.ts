/**
 * One sample for every management call. A missing one is a compile error, and fails the test of all
 * calls by its name.
 */
import type { apiCalls } from '../../../src/api/all.ts';
import type { HandledCall } from '../../../src/handlers.ts';
import * as accounts from './samples/accounts.ts';
import * as channels from './samples/channels.ts';
import * as history from './samples/history.ts';
import * as money from './samples/money.ts';
import { By, type SamplesOf } from './samples/sample.ts';
import * as signIn from './samples/sign-in.ts';
import type { Walker } from './walker.ts';

type Nouns = typeof apiCalls;

const samples: { readonly [N in keyof Nouns]: SamplesOf<Nouns[N]> } = {
  ...accounts,
  ...channels,
  ...history,
  ...money,
  ...signIn,
};

/** The input of the call, and its caller. */
export async function sampleOf(walker: Walker, { noun, name, call }: HandledCall) {
  const table: Readonly<Record<string, unknown>> = samples[noun];
  const sample = table[name];
  if (sample === undefined) throw new Error(`samples.ts says nothing of ${noun}.${name}`);
  const given: unknown = typeof sample === 'function' ? await sample(walker) : sample;
  const asked = given instanceof By ? given : new By(walker.person(call.role), given);
  return asked as By<Readonly<Record<string, unknown>>>; // every input is an object
}

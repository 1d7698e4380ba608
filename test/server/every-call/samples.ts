/**
 * One sample for every management call. A missing one is a compile error, and fails the test of all
 * calls by its name.
 */
import type { apiCalls } from '../../../src/api/all.ts';
import type { HandledCall } from '../../../src/handlers.ts';
import type { Fixtures } from './fixtures.ts';
import * as accounts from './samples/accounts.ts';
import * as channels from './samples/channels.ts';
import * as history from './samples/history.ts';
import * as money from './samples/money.ts';
import { By, type SamplesOf } from './samples/sample.ts';
import * as signIn from './samples/sign-in.ts';

type Nouns = typeof apiCalls;

const samples: { readonly [N in keyof Nouns]: SamplesOf<Nouns[N]> } = {
  ...accounts,
  ...channels,
  ...history,
  ...money,
  ...signIn,
};

/** The input of the call, and its caller. */
export async function sampleOf(fixtures: Fixtures, { noun, name, call }: HandledCall) {
  const table: Readonly<Record<string, unknown>> = samples[noun];
  const sample = table[name];
  if (sample === undefined) throw new Error(`samples.ts has no sample for ${noun}.${name}`);
  const given: unknown = typeof sample === 'function' ? await sample(fixtures) : sample;
  const request = given instanceof By ? given : new By(fixtures.person(call.role), given);
  return request as By<Readonly<Record<string, unknown>>>; // every input is an object
}

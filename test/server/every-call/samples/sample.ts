/** The input of a call in the test of all calls. */
import type * as z from 'zod/mini';
import type { Call, Calls } from '../../../../src/api/call.ts';
import type { Fixtures, Person } from '../fixtures.ts';

/** An input, with its caller if that is not one of the call's lowest role. */
export class By<I> {
  readonly who: Person;
  readonly input: I;
  constructor(who: Person, input: I) {
    this.who = who;
    this.input = input;
  }
}

/**
 * An input for a successful call, or a function that prepares it. It is created anew for each
 * request: a call with two paths is made twice.
 */
export type Sample<C extends Call> =
  | z.input<C['input']>
  | ((fixtures: Fixtures) => Asked<C> | Promise<Asked<C>>);

type Asked<C extends Call> = z.input<C['input']> | By<z.input<C['input']>>;

export type SamplesOf<T extends Calls> = { readonly [N in keyof T]: Sample<T[N]> };

/** What a call is asked with in the walk through all of them. */
import type * as z from 'zod/mini';
import type { Call, Calls } from '../../../src/api/call.ts';
import type { Person, Walker } from '../walker.ts';

/** An input, with who sends it where that is not the one of the call's lowest role. */
export class By<I> {
  readonly who: Person;
  readonly input: I;
  constructor(who: Person, input: I) {
    this.who = who;
    this.input = input;
  }
}

/**
 * An input that is answered with success, or how to make what it needs. Made anew for each question:
 * a call with two paths is asked twice.
 */
export type Sample<C extends Call> =
  | z.input<C['input']>
  | ((walker: Walker) => Asked<C> | Promise<Asked<C>>);

type Asked<C extends Call> = z.input<C['input']> | By<z.input<C['input']>>;

export type SamplesOf<T extends Calls> = { readonly [N in keyof T]: Sample<T[N]> };

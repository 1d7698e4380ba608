import type { Awaitable } from '../../domain/awaitable.ts';

/** Counts the call as successful in the rate limits; a stream counts once it has ended well. */
export type CountSuccess = () => Awaitable<void>;

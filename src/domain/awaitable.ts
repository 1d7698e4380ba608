/**
 * The result of a function that seldom has to wait. Its hot callers await it only if it is a
 * promise, because every `await` costs a promise and a turn of the microtask queue.
 */
export type Awaitable<T> = T | Promise<T>;

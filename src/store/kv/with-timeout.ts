/** No response arrived in time. */
export class NoAnswer extends Error {
  constructor(ms: number) {
    super(`redis did not answer within ${ms} ms`);
  }
}

/** @throws Silence after `ms`, otherwise settles as `asked` does. */
export function withTimeout<T>(asked: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // A response that arrived while this process was busy is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(() => reject(new NoAnswer(ms))), ms);
    asked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

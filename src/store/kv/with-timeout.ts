/** No response arrived in time. */
export class RedisTimeout extends Error {
  constructor(ms: number) {
    super(`redis did not answer within ${ms} ms`);
  }
}

/** @throws RedisTimeout after `ms`, otherwise settles as `response` does. */
export function withRedisTimeout<T>(response: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // A response that arrived while this process was busy is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(() => reject(new RedisTimeout(ms))), ms);
    response.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Some upstreams repeat the key that they refuse: it must not reach clients, logs or admins so. */
import { secretsIn } from '../domain/cloud-keys.ts';
import type { UpstreamError } from '../providers/upstream-error.ts';

/** Shorter ones are stand-ins for "no key", and words of ordinary sentences. */
const SHORTEST_KEY = 8;

export interface Keyed {
  readonly key: string;
}

/** The error with each of the keys it repeats made unreadable. */
export function withoutKeys(error: UpstreamError, keys: readonly Keyed[]): UpstreamError {
  const hide = (text: string) => hideKeys(text, keys);
  return {
    ...error,
    message: hide(error.message),
    type: hide(error.type),
    code: hide(error.code),
    param: hide(error.param),
  };
}

/** The same for any text of an upstream. */
export function hideKeys(text: string, keys: readonly Keyed[]): string {
  const secrets = keys.flatMap(({ key }) => secretsIn(key));
  const long = secrets.filter((secret) => secret.length >= SHORTEST_KEY);
  return long.reduce((shown, secret) => shown.replaceAll(secret, `${secret.slice(0, 3)}***`), text);
}

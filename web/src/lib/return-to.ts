import type { Loss } from './session.ts';

/** Where to go after signing in. Only places of this site: `//host` and `/\host` are others. */
const HERE = /^\/(?![/\\])[^\\\p{C}]*$/u;

/** The asked place when it is one of this site, else the tokens page. */
export function returnPlace(asked: string | null | undefined): string {
  return asked && HERE.test(asked) ? asked : '/app/tokens';
}

/**
 * The sign-in page, knowing where the reader wanted to be; who has just signed out does not want to
 * come back.
 */
export function signInPlace(wanted: string, loss?: Loss): string {
  if (loss === 'signed-out') return '/login';
  const query = new URLSearchParams();
  if (loss === 'expired') query.set('expired', 'true');
  if (HERE.test(wanted) && wanted !== '/') query.set('returnTo', wanted);
  return query.size === 0 ? '/login' : `/login?${query}`;
}

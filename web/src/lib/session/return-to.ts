import type { SessionEnd } from './session.ts';

/** Redirect targets after sign-in. Only paths of this site: `//host` and `/\host` are not. */
const HERE = /^\/(?![/\\])[^\\\p{C}]*$/u;

/** The requested path if it belongs to this site, else the tokens page. */
export function returnPlace(asked: string | null | undefined): string {
  return asked && HERE.test(asked) ? asked : '/app/tokens';
}

/** The sign-in page, with the path to return to; omitted after signing out. */
export function signInPlace(wanted: string, loss?: SessionEnd): string {
  if (loss === 'signed-out') return '/login';
  const query = new URLSearchParams();
  if (loss === 'expired') query.set('expired', 'true');
  if (HERE.test(wanted) && wanted !== '/') query.set('returnTo', wanted);
  return query.size === 0 ? '/login' : `/login?${query}`;
}

import { readTab, writeTab } from '../browser/tab-storage.ts';
import type { SessionEnd } from './session.ts';

/** Redirect targets after sign-in. Only paths of this site: `//host` and `/\host` are not. */
const OWN_PATH = /^\/(?![/\\])[^\\\p{C}]*$/u;

/** The requested path if it belongs to this site, else the tokens page. */
export function returnPath(requested: string | null | undefined): string {
  return requested && OWN_PATH.test(requested) ? requested : '/app/tokens';
}

const PENDING = 'sign-in-return-to';

/** Remembers the path to return to while the tab is at a provider, which may refuse or be cancelled. */
export function keepReturnTo(path: string): void {
  writeTab(PENDING, path);
}

export function keptReturnTo(): string {
  return readTab(PENDING) ?? '';
}

/** The sign-in page, with the path to return to; omitted after signing out. */
export function signInPath(wanted: string, loss?: SessionEnd): string {
  if (loss === 'signed-out') return '/login';
  const query = new URLSearchParams();
  if (loss === 'expired') query.set('expired', 'true');
  if (OWN_PATH.test(wanted) && wanted !== '/') query.set('returnTo', wanted);
  return query.size === 0 ? '/login' : `/login?${query}`;
}

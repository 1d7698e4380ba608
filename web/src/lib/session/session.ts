import { isAdmin } from '../../../../src/domain/roles.ts';
import { STORED, useStored } from '../browser/stored.ts';
import type { SessionUser } from './session-user.ts';

export function storedUser(): SessionUser | undefined {
  return STORED.user.read();
}

/** Stores the user after any sign-in. */
export function storeUser(user: SessionUser): void {
  loss = undefined;
  STORED.user.write(user);
}

/** The signed-in user, synced with other tabs; undefined for a guest. */
export function useUser(): SessionUser | undefined {
  return useStored(STORED.user)[0];
}

export function useIsAdmin(): boolean {
  return isAdmin(useUser()?.role ?? 0);
}

/** Why the session ended, as far as this page knows. */
export type SessionEnd = 'expired' | 'signed-out';

let loss: SessionEnd | undefined;
const listeners = new Set<() => void>();

export function lastSessionEnd(): SessionEnd | undefined {
  return loss;
}

/** Calls the listener once each time the server rejects a session this browser considered valid. */
export function onExpired(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Many calls may be rejected at once: only the first one clears the user. */
export function expireSession(): void {
  if (storedUser() === undefined) return;
  loss = 'expired';
  STORED.user.clear();
  for (const listener of listeners) listener();
}

export function endSession(): void {
  loss = 'signed-out';
  STORED.user.clear();
}

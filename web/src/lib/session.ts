import { isAdmin } from '../../../src/domain/roles.ts';
import type { SessionUser } from './session-user.ts';
import { STORED, useStored } from './stored.ts';

export function storedUser(): SessionUser | undefined {
  return STORED.user.read();
}

/** After every way of signing in. */
export function keepUser(user: SessionUser): void {
  loss = undefined;
  STORED.user.write(user);
}

/** The reader of this page, in step with other tabs; undefined for a guest. */
export function useUser(): SessionUser | undefined {
  return useStored(STORED.user)[0];
}

export function useIsAdmin(): boolean {
  return isAdmin(useUser()?.role ?? 0);
}

/** Why nobody is signed in any more, as far as this page has seen it happen. */
export type Loss = 'expired' | 'signed-out';

let loss: Loss | undefined;
const listeners = new Set<() => void>();

export function lastLoss(): Loss | undefined {
  return loss;
}

/** Calls back once each time the server refuses a session that this browser believed in. */
export function onExpired(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Many calls may be refused at once: only the first finds a user to forget. */
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

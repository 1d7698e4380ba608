/** Whether this session signed in with the documented default credentials. */
import { readTab, writeTab } from '../../lib/browser/tab-storage.ts';

const KEY = 'default-password';

export function isDefaultPassword(username: string, password: string): boolean {
  return username === 'root' && password === '123456';
}

/** Stored for this tab's session, until the password is changed. */
export function setUsesDefaultPassword(isUsed: boolean): void {
  writeTab(KEY, isUsed ? 'true' : undefined);
}

export function usesDefaultPassword(): boolean {
  return readTab(KEY) === 'true';
}

/** Whether this session signed in with the documented default credentials. */
const KEY = 'default-password';

export function isDefaultPassword(username: string, password: string): boolean {
  return username === 'root' && password === '123456';
}

/** Stored for this tab's session, until the password is changed. */
export function setUsesDefaultPassword(isUsed: boolean): void {
  try {
    if (isUsed) sessionStorage.setItem(KEY, 'true');
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage the warning after sign-in is the only one.
  }
}

export function usesDefaultPassword(): boolean {
  try {
    return sessionStorage.getItem(KEY) === 'true';
  } catch {
    return false;
  }
}

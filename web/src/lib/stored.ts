/**
 * Display choices in local storage. Every read survives an absent, foreign or refused value:
 * storage may be full, switched off, or written by an older release.
 */
export const STORED = { colourScheme: 'theme-mode', language: 'language' } as const;

type StoredKey = (typeof STORED)[keyof typeof STORED];

/** The stored value when it is one of `allowed`, else `fallback`. */
export function readChoice<T extends string>(
  key: StoredKey,
  allowed: readonly T[],
  fallback: T,
): T {
  try {
    const stored = localStorage.getItem(key);
    return allowed.find((choice) => choice === stored) ?? fallback;
  } catch {
    return fallback;
  }
}

export function keepChoice(key: StoredKey, choice: string): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    // The choice then lasts until the page is closed, which is all that private mode allows.
  }
}

/** Calls back when another tab changes the value. */
export function onChoiceElsewhere(key: StoredKey, changed: () => void): void {
  window.addEventListener('storage', (event) => {
    if (event.storageArea === localStorage && event.key === key) changed();
  });
}

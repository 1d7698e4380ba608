/**
 * The system keyring: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.
 */

export interface Keyring {
  /** Undefined if there is no entry of this name. @throws when it cannot be opened. */
  read(account: string): Promise<string | undefined>;
  /** @throws when it cannot be opened. */
  write(account: string, secret: string): Promise<void>;
  /** @throws when it cannot be opened. */
  remove(account: string): Promise<void>;
}

const SERVICE = 'ai-model-gateway';
/** Not the kernel keyring, which is lost at reboot. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** Undefined when unavailable: the package is optional, and servers have no Secret Service. */
export async function systemKeyring(): Promise<Keyring | undefined> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    const entry = (account: string) => new AsyncEntry(SERVICE, account, OPTIONS);
    // A test read, because the library may load without a keyring service running.
    await entry('is anybody there').getPassword();
    return {
      read: async (account) => (await entry(account).getPassword()) ?? undefined,
      write: (account, secret) => entry(account).setPassword(secret),
      remove: async (account) => void (await entry(account).deletePassword()),
    };
  } catch {
    // Unavailable: the caller stores the secret elsewhere.
    return undefined;
  }
}

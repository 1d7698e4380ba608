/** The system's keyring: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. */

export interface Keyring {
  /** Undefined where it holds nothing under this name. @throws where it cannot be opened. */
  read(account: string): Promise<string | undefined>;
  /** @throws where it cannot be opened. */
  write(account: string, secret: string): Promise<void>;
  /** @throws where it cannot be opened. */
  remove(account: string): Promise<void>;
}

const SERVICE = 'ai-model-gateway';
/** Never the kernel's keyring, which forgets at the next start of the machine. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** Undefined where there is none: the package is optional, and a server has no Secret Service. */
export async function systemKeyring(): Promise<Keyring | undefined> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    const entry = (account: string) => new AsyncEntry(SERVICE, account, OPTIONS);
    // Asked once, as a library that loads may find nobody to talk to.
    await entry('is anybody there').getPassword();
    return {
      read: async (account) => (await entry(account).getPassword()) ?? undefined,
      write: (account, secret) => entry(account).setPassword(secret),
      remove: async (account) => void (await entry(account).deletePassword()),
    };
  } catch {
    // That it is not there is the answer: the caller has another place.
    return undefined;
  }
}

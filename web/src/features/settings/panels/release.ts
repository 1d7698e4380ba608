/** The latest release, from the public releases API. */
const RELEASES = 'https://api.github.com/repos/ai-model-gateway/ai-model-gateway/releases/latest';
const TIMEOUT_MS = 15_000;

export interface Release {
  readonly tag: string;
  /** Markdown. */
  readonly body: string;
}

/** @throws if it cannot be fetched. */
export async function latestRelease(): Promise<Release> {
  const answer = await fetch(RELEASES, {
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const facts: Readonly<Record<string, unknown>> = { ...(await answer.json()) };
  const { tag_name, body } = facts;
  if (!answer.ok || typeof tag_name !== 'string') throw new Error('no release was found');
  return { tag: tag_name, body: typeof body === 'string' ? body : '' };
}

/** Ignores the tag's `v`: `v1.2.0` equals `1.2.0`. */
export function isSameVersion(tag: string, version: string): boolean {
  return tag.replace(/^v/i, '') === version.replace(/^v/i, '');
}

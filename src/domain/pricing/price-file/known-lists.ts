/** Price lists that are known by name, and their addresses. */
const KNOWN_LISTS = {
  'models.dev': 'https://models.dev/api.json',
  openrouter: 'https://openrouter.ai/api/v1/models',
} as const;

export const KNOWN_LIST_NAMES: readonly string[] = Object.keys(KNOWN_LISTS);

/** Undefined if the source is an address or a file. */
export function addressOfList(source: string): string | undefined {
  return Object.entries(KNOWN_LISTS).find(([name]) => name === source)?.[1];
}

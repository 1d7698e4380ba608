/** What works for whom: the table that the matrix proves and that docs/compatibility.md prints. */
import type { ClientRow } from './clients.ts';
import type { FamilyRow } from './families.ts';

export const FEATURES = {
  plain: 'a whole answer, with usage, under the name the client asked for',
  stream: 'the same as a stream, in the client’s own frames',
  tools: 'parallel calls of tools, in a stream',
  image: 'a picture sent along',
  thinking: 'thoughts asked for in the client’s words, and shown',
  error: 'a refusal of the upstream, with its status and message, in the client’s shape',
  abort: 'a client that leaves: the upstream is stopped, what was delivered is charged',
} as const;

export type Feature = keyof typeof FEATURES;

export interface Exception {
  readonly clients: readonly ClientRow['name'][];
  readonly families: readonly FamilyRow['name'][];
  readonly feature: Feature;
  readonly reason: string;
}

/** Cells that do not work. The matrix fails when one of them does. */
const EVERY_CLIENT = ['chat', 'anthropic', 'gemini', 'responses'] as const;

export const EXCEPTIONS: readonly Exception[] = [
  {
    clients: ['anthropic', 'gemini', 'responses'],
    families: ['mistral'],
    feature: 'thinking',
    reason:
      'The provider has a switch of its own for thinking, which requests of other dialects do not set: ' +
      'the model thinks when it does so by itself, and its thoughts are shown.',
  },
  {
    clients: EVERY_CLIENT,
    families: ['bedrock-nova', 'hunyuan', 'baidu', 'dify', 'coze', 'library'],
    feature: 'thinking',
    reason: 'It cannot be wished for: the model or application thinks when it does so by itself.',
  },
  {
    clients: EVERY_CLIENT,
    families: ['baidu', 'dify', 'coze', 'library'],
    feature: 'tools',
    reason: 'The protocol has no tools of a client: applications bring their own.',
  },
  {
    clients: EVERY_CLIENT,
    families: ['baidu', 'library'],
    feature: 'image',
    reason: 'The protocol has words only.',
  },
];

export function exceptionOf(
  client: ClientRow['name'],
  family: FamilyRow['name'],
  feature: Feature,
): Exception | undefined {
  return EXCEPTIONS.find(
    (row) =>
      row.feature === feature && row.clients.includes(client) && row.families.includes(family),
  );
}

/** Features and their exceptions: the matrix tests them and docs/compatibility.md lists them. */
import { DIALECTS } from '../../../src/dialects/all.ts';
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import type { ClientRow } from './clients.ts';
import type { FamilyRow } from './families.ts';

export const FEATURES = {
  plain: 'a whole answer with usage and the model name that the client requested',
  stream: 'the same answer as a stream in the dialect of the client',
  tools: 'parallel tool calls in a stream',
  image: 'an image in the request',
  thinking: 'thinking that the client requests in its dialect, with visible thoughts',
  error: 'a refusal of the upstream, with its status and message in the dialect of the client',
  abort:
    'a client that disconnects: the upstream request is stopped, and delivered content is charged',
} as const;

export type Feature = keyof typeof FEATURES;

export interface Exception {
  readonly clients: readonly ClientRow['name'][];
  readonly families: readonly FamilyRow['name'][];
  readonly feature: Feature;
  readonly reason: string;
}

const EVERY_CLIENT = Object.keys(DIALECTS) as DialectName[]; // the keys of a constant table

/** Cells that do not work. The matrix fails when one of them does. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    clients: ['anthropic', 'gemini', 'responses'],
    families: ['mistral'],
    feature: 'thinking',
    reason:
      'The provider has its own setting for thinking, which requests of other dialects do not contain: ' +
      'the model decides whether it thinks, and its thoughts are shown.',
  },
  {
    clients: EVERY_CLIENT,
    families: ['bedrock-nova', 'hunyuan', 'baidu', 'dify', 'coze', 'library'],
    feature: 'thinking',
    reason: 'Thinking cannot be requested: the model or application decides whether it thinks.',
  },
  {
    clients: EVERY_CLIENT,
    families: ['baidu', 'dify', 'coze', 'library'],
    feature: 'tools',
    reason: 'The protocol has no client tools: applications have their own.',
  },
  {
    clients: EVERY_CLIENT,
    families: ['baidu', 'library'],
    feature: 'image',
    reason: 'The protocol supports only text.',
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

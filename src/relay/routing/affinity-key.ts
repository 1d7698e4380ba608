/**
 * Derives the affinity key of a call from the session its client names, or from the start of its
 * prompt. Only digests are stored, so that session names and prompts stay private.
 */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectIn, textIn } from '../../json/read-json.ts';
import type { Admitted } from '../call/admitted.ts';
import { headerOf } from '../call/incoming-call.ts';

/**
 * Headers in which clients send a session id: Codex, Claude Code, OpenCode and clients compatible
 * with them.
 */
const HEADERS = [
  'x-session-id',
  'session_id',
  'session-id',
  'x-claude-code-session-id',
  'x-session-affinity',
  'conversation_id',
  'x-conversation-id',
] as const;

/** Digest of the session id that the client sends; undefined when it sends none. */
export function sessionName({ incoming, intent }: Admitted): string | undefined {
  for (const name of HEADERS) {
    const value = headerOf(incoming.headers, name).trim();
    if (value !== '') return digest(['session', value]);
  }
  const named = namedInBody(intent.sent);
  return named === undefined ? undefined : digest(['session', named]);
}

function namedInBody(sent: JsonObject): string | undefined {
  const { conversation } = sent;
  const endUser = textIn(objectIn(sent, 'metadata'), 'user_id') ?? '';
  return (
    textIn(sent, 'prompt_cache_key') ||
    (typeof conversation === 'string'
      ? conversation
      : textIn(objectIn(sent, 'conversation'), 'id')) ||
    // In Claude Code's requests `user_id` contains the session id; in others it may cover all users
    // of an application.
    (/session/i.test(endUser) ? endUser : undefined) ||
    undefined
  );
}

/**
 * Shorter prompts are below the minimum of upstream prompt caches (1,024 tokens), so their calls
 * are spread by weight.
 */
const LEAST_BYTES = 4_096;
/** Characters hashed of each part of the prompt; later differences are ignored. */
const MOST_CHARS = 8_192;

/**
 * Digest of the start of the prompt: instructions, tools and first user message; undefined for a
 * short prompt.
 */
export function promptName({ incoming, intent }: Admitted): string | undefined {
  if (incoming.endpoint !== 'chat' || intent.raw.length < LEAST_BYTES) return undefined;
  const { request } = intent;
  if (request !== undefined)
    return digest([
      ...textsIn(request.system),
      ...request.tools.map((tool) => ('name' in tool ? tool.name : tool.kind)),
      ...textsIn(request.messages.find(({ role }) => role === 'user')?.blocks),
    ]);
  const { messages, tools } = intent.body;
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  const first = list.findIndex(({ role }) => role === 'user');
  return digest([
    ...textsIn(list.slice(0, first + 1).map(({ content }) => content)),
    ...toolNames(tools),
  ]);
}

function toolNames(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.map((tool) => textIn(objectIn(tool, 'function') ?? tool, 'name') ?? '');
}

/** The strings inside a value, in document order, up to `MOST_CHARS`. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  let left = MOST_CHARS;
  const walk = (inner: unknown): void => {
    if (left <= 0) return;
    if (typeof inner === 'string') {
      texts.push(inner.slice(0, left));
      left -= inner.length;
    } else if (Array.isArray(inner)) for (const item of inner) walk(item);
    else if (isObject(inner)) for (const item of Object.values(inner)) walk(item);
  };
  walk(value);
  return texts;
}

function digest(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url').slice(0, 22);
}

/**
 * System messages in mid-conversation (platform.claude.com/docs, "Mid-conversation system
 * messages"): some models accept them, behind the user's turn only. Elsewhere the user says them.
 */
import type { JsonObject } from '../../json/read-json.ts';
import { systemBehind } from '../hub/request/turns.ts';

interface Message {
  readonly role?: unknown;
}

/** Behind the user's messages that follow, so that earlier turns stay as they are for later calls. */
export function systemBehindUser<T extends Message>(messages: readonly T[]): readonly T[] {
  return systemBehind(messages, ({ role }) => role === 'user');
}

/** Turns into the user's what does not follow a user's turn. Expects merged, written messages. */
export function withLegalSystem(messages: readonly JsonObject[]): readonly JsonObject[] {
  return messages.map((message, index) =>
    isOther(message) || messages[index - 1]?.role === 'user'
      ? message
      : { ...message, role: 'user' },
  );
}

/** For models without the role; the same object if no message has it. */
export function withoutLateSystem(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.every(isOther)) return body;
  const moved: readonly JsonObject[] = systemBehindUser(messages);
  const said = moved.map((message) => (isOther(message) ? message : { ...message, role: 'user' }));
  return { ...body, messages: said };
}

function isOther(message: Message): boolean {
  return message.role !== 'system';
}

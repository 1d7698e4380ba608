/** Reads streamed chat responses: the data of each server-sent event, and its content. */

import { EventSourceParserStream } from 'eventsource-parser/stream';
import { asObject, objectIn, objectsIn, parseJson } from '../../../../../src/json/read-json.ts';
import { STORED } from '../../../lib/browser/stored.ts';
import { expireSession, storedUser } from '../../../lib/session/session.ts';
import type { ChatBody } from './turns.ts';

const DONE = '[DONE]';

/** A failed response, with its error message or ''. */
export class ChatProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ChatProblem';
    this.status = status;
  }
}

/**
 * Ends at the done event; never reconnects, because every call costs.
 * @throws ChatProblem; the signal's reason if it is aborted.
 */
export async function* chatEvents(body: ChatBody, signal: AbortSignal): AsyncGenerator<string> {
  const answer = await fetch('/pg/chat/completions', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-language': STORED.language.read(),
      'gateway-user': String(storedUser()?.id ?? 0),
    },
    body: JSON.stringify(body),
    signal,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw Object.assign(new ChatProblem(0, ''), { cause });
  });
  if (answer.status === 401) expireSession();
  if (!answer.ok) throw new ChatProblem(answer.status, errorMessageIn(await answer.text()));
  if (answer.body === null) return;
  if (answer.headers.get('content-type')?.startsWith('application/json')) {
    yield await answer.text();
    return;
  }
  const events = answer.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await events.read();
      if (done || value.data === DONE) return;
      yield value.data;
    }
  } finally {
    await events.cancel().catch(() => undefined);
  }
}

export interface Delta {
  readonly text: string;
  readonly reasoning: string;
  /** As in the response. */
  readonly usage: object | undefined;
  readonly problem: string | undefined;
}

export function deltaOf(data: string): Delta {
  const event = asObject(parseJson(data));
  const [choice] = objectsIn(event, 'choices');
  // A response that is not streamed has the whole message instead of deltas.
  const piece = objectIn(choice, 'delta') ?? objectIn(choice, 'message');
  return {
    text: stringOf(piece?.content),
    reasoning: stringOf(piece?.reasoning_content) || stringOf(piece?.reasoning),
    usage: objectIn(event, 'usage'),
    problem: event?.error === undefined || event.error === null ? undefined : errorMessageIn(data),
  };
}

/** The message of an error in either form: `{error: {message}}`, `{success, message}`. */
export function errorMessageIn(text: string): string {
  const body = asObject(parseJson(text));
  return (
    stringOf(objectIn(body, 'error')?.message) || stringOf(body?.error) || stringOf(body?.message)
  );
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

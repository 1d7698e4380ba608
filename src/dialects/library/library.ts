/** Queries an AI Proxy document library: a question is answered with a text and its sources. */
import { unusableChannel } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject, objectsIn, textIn } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { HubAnswer } from '../hub/answer/answer.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { JsonDecoder, textEvents } from '../hub/answer/json-decoder.ts';
import type { RequestTarget, UpstreamDialect } from '../hub/dialect.ts';
import { lastQuestion } from '../hub/request/conversation.ts';
import type { HubRequest } from '../hub/request/request.ts';

export const LIBRARY: UpstreamDialect = {
  name: 'library',
  limit: { isAbsent: true },
  writeRequest,
  readAnswer: (json) => ({ ...answerOf(json), stop: 'end' }),
  decoder: () => new LibraryDecoder(),
  readError,
};

/** @throws AppError channel_unusable without a library id. */
function writeRequest(request: HubRequest, { model, stream, app }: RequestTarget): JsonObject {
  const libraryId = app?.other ?? '';
  if (libraryId === '') throw unusableChannel('library_id_missing');
  return { model, query: lastQuestion(request), libraryId, stream };
}

function answerOf(json: JsonObject): Pick<HubAnswer, 'blocks'> {
  const text = (textIn(json, 'answer') ?? '') + listOf(json);
  return { blocks: text === '' ? [] : [{ kind: 'text', text }] };
}

/** The documents as a list after the text, because not every client shows sources. */
function listOf(json: JsonObject): string {
  const lines = objectsIn(json, 'documents').map((document, index) => {
    const title = textIn(document, 'title') ?? textIn(document, 'url') ?? '';
    return `${index + 1}. [${title}](${textIn(document, 'url') ?? ''})`;
  });
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}`;
}

function readError(json: unknown): UpstreamError | undefined {
  if (!isObject(json)) return undefined;
  const code = textIn(json, 'errCode') ?? '0';
  if (json.success !== false && code === '0') return undefined;
  const error = errorInSuccess({ error: { message: json.message, type: 'upstream_error' } });
  return error && { ...error, code: code === '0' ? error.code : code };
}

class LibraryDecoder extends JsonDecoder {
  protected readonly errorOf = readError;

  protected read(frame: JsonObject): readonly HubEvent[] {
    const events = [
      ...this.started({ model: textIn(frame, 'model') }),
      ...textEvents(textIn(frame, 'content')),
    ];
    if (frame.finish !== true) return events;
    this.isComplete = true;
    this.isOver = true;
    return [...events, ...textEvents(listOf(frame)), { kind: 'finish', stop: 'end' }];
  }
}

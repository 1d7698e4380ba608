/**
 * Baidu's first API, "wenxinworkshop": the model is in the path, and the answer is one text.
 * Source: cloud.baidu.com/doc/WENXINWORKSHOP.
 */
import { readOpenAiUsage } from '../../domain/pricing/usage.ts';
import { isObject, type JsonObject, objectIn, textIn } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { HubAnswer } from '../hub/answer/answer.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { JsonDecoder, textEvents } from '../hub/answer/json-decoder.ts';
import type { Stop } from '../hub/answer/stop.ts';
import { textOfBlocks } from '../hub/blocks.ts';
import type { RequestTarget, UpstreamDialect } from '../hub/dialect.ts';
import { extrasFor } from '../hub/extras.ts';
import { messageText } from '../hub/request/conversation.ts';
import { type HubRequest, rejectMultipleAnswers } from '../hub/request/request.ts';
import { mergedTurns, systemAsUser, withUserMessage } from '../hub/request/turns.ts';

export const BAIDU: UpstreamDialect = {
  name: 'baidu',
  writeRequest,
  readAnswer,
  decoder: () => new WenxinDecoder(),
  readError,
};

const MIN_OUTPUT_TOKENS = 2;
/** Baidu's own fields, which clients of other gateways send. */
const OWN_FIELDS = ['penalty_score', 'disable_search', 'enable_citation', 'user_id'] as const;

/** @throws AppError field_wrong for more than one answer. */
function writeRequest(given: HubRequest, { stream }: RequestTarget): JsonObject {
  rejectMultipleAnswers(given);
  const request = withUserMessage(given);
  const { sampling, maxTokens, stop, user } = request;
  const extras = extrasFor('openai', request);
  const system = textOfBlocks(request.system, '\n');
  const fields: JsonObject = {
    ...Object.fromEntries(OWN_FIELDS.map((name) => [name, extras[name]])),
    messages: writeMessages(request),
    system: system === '' ? undefined : system,
    stream: stream ? true : undefined,
    temperature: sampling.temperature && Math.min(1, sampling.temperature),
    top_p: sampling.topP,
    max_output_tokens: maxTokens === undefined ? undefined : Math.max(MIN_OUTPUT_TOKENS, maxTokens),
    stop: stop.length > 0 ? stop.slice(0, 4) : undefined,
    response_format: request.format && 'json_object',
    user_id: user ?? extras.user_id,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const OPENING: JsonObject = { role: 'user', content: '...' };

/** User and assistant alternate, starting with the user. */
function writeMessages(request: HubRequest): readonly JsonObject[] {
  const turns = mergedTurns(systemAsUser(request.messages)).flatMap(({ role, blocks }) => {
    const content = messageText(blocks);
    return content === '' ? [] : [{ role, content }];
  });
  return turns[0]?.role === 'assistant' ? [OPENING, ...turns] : turns;
}

function readAnswer(json: JsonObject): HubAnswer {
  const text = textIn(json, 'result') ?? '';
  const usage = objectIn(json, 'usage');
  return {
    id: textIn(json, 'id'),
    blocks: text === '' ? [] : [{ kind: 'text', text }],
    stop: stopOf(json),
    ...(usage === undefined ? {} : { usage: readOpenAiUsage(usage) }),
  };
}

function stopOf({ is_truncated, finish_reason }: JsonObject): Stop {
  if (is_truncated === true || finish_reason === 'length') return 'max_tokens';
  return finish_reason === 'content_filter' ? 'refusal' : 'end';
}

/** HTTP statuses of error codes; 110 and 111 concern the access token. */
const STATUSES: Readonly<Record<string, number>> = {
  4: 429,
  6: 403,
  13: 401,
  14: 401,
  15: 401,
  17: 429,
  18: 429,
  19: 429,
  110: 401,
  111: 401,
  336000: 500,
  336100: 503,
};

function readError(json: unknown): UpstreamError | undefined {
  if (!isObject(json)) return undefined;
  const code = textIn(json, 'error_code');
  if (code === undefined || code === '0') return errorInSuccess(json);
  const status = STATUSES[code] ?? (code.startsWith('336') ? 400 : 500);
  const error = errorInSuccess({ error: { message: json.error_msg, code: status } });
  return error && { ...error, code };
}

class WenxinDecoder extends JsonDecoder {
  protected readonly errorOf = readError;

  protected read(frame: JsonObject): readonly HubEvent[] {
    const raw = objectIn(frame, 'usage');
    const usage = raw === undefined ? undefined : readOpenAiUsage(raw);
    const events = [
      ...this.started({ id: textIn(frame, 'id') }),
      ...textEvents(textIn(frame, 'result')),
      // The output count grows from frame to frame.
      ...(usage === undefined ? [] : [{ kind: 'usage', usage } as const]),
    ];
    if (frame.is_end !== true) return events;
    this.isComplete = true;
    this.isOver = true;
    return [...events, { kind: 'finish', stop: stopOf(frame) }];
  }
}

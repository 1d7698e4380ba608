/** What a client is told of the charged usage, also where the upstream reported none. */
import { toAnthropicUsage } from '../../dialects/anthropic/usage.ts';
import { toGeminiUsage } from '../../dialects/gemini/usage.ts';
import type { DialectName } from '../../dialects/hub/dialect.ts';
import type { PlainAnswer } from '../../dialects/openai/plain-answer.ts';
import { toResponsesUsage } from '../../dialects/responses/usage.ts';
import { toOpenAiUsage, type Usage } from '../../domain/pricing/usage.ts';
import { renderJson } from '../../json/edit-json-text.ts';
import { isObject, type JsonObject, objectIn, objectsIn, parseJson } from '../../json/read-json.ts';
import type { CallRecord } from '../call/call-record.ts';

interface UsagePlace {
  /** Into a whole answer. */
  answer(json: JsonObject, usage: Usage): JsonObject;
  /** Into the frame of a stream that tells the usage; undefined for all other frames. */
  frame(frame: JsonObject, usage: Usage): JsonObject | undefined;
}

const PLACES: Readonly<Record<DialectName, UsagePlace>> = {
  chat: {
    answer: (json, usage) => ({ ...json, usage: toOpenAiUsage(usage) }),
    // Written by the reader of its own (`ChatStreamReader`), for clients that ask for it.
    frame: () => undefined,
  },
  anthropic: {
    answer: withAnthropicUsage,
    frame: (frame, usage) =>
      frame.type === 'message_delta' ? withAnthropicUsage(frame, usage) : undefined,
  },
  gemini: {
    answer: withGeminiUsage,
    frame: (frame, usage) =>
      objectsIn(frame, 'candidates').length > 0 || isObject(frame.usageMetadata)
        ? withGeminiUsage(frame, usage)
        : undefined,
  },
  responses: {
    answer: withResponsesUsage,
    frame(frame, usage) {
      const response = objectIn(frame, 'response');
      return response && { ...frame, response: withResponsesUsage(response, usage) };
    },
  },
};

function withAnthropicUsage(json: JsonObject, usage: Usage): JsonObject {
  return { ...json, usage: toAnthropicUsage(usage) };
}

function withGeminiUsage(json: JsonObject, usage: Usage): JsonObject {
  return { ...json, usageMetadata: toGeminiUsage(usage) };
}

function withResponsesUsage(json: JsonObject, usage: Usage): JsonObject {
  return { ...json, usage: toResponsesUsage(usage) };
}

/** The charged usage; our own count is marked as such. */
export function usageToTell({ usage, usageSource }: CallRecord): Usage | undefined {
  const isEstimated = usage !== undefined && usageSource === 'estimated';
  return isEstimated ? { ...usage, isEstimated } : usage;
}

/** The whole answer of a call with the count it is charged by; the same object where it has that. */
export function withToldUsage(record: CallRecord, plain: PlainAnswer): PlainAnswer {
  const { incoming } = record;
  const usage = usageToTell(record);
  const hasPlace = incoming.endpoint === 'chat' || incoming.endpoint === 'completions';
  if (!hasPlace || usage?.isEstimated === undefined) return plain;
  const json = parseJson(plain.text);
  if (!isObject(json)) return plain;
  const told = PLACES[incoming.dialect ?? 'chat'].answer(json, usage);
  const text = renderJson(plain.text, json, told);
  // Of another dialect, `json` is what the upstream said.
  return plain.frames === undefined ? { ...plain, text, json: told } : { ...plain, text };
}

/** The data of a stream's last frames, the last of them that may tell the usage telling it. */
export function withToldFrame(
  dialect: DialectName,
  frames: readonly string[],
  usage: Usage,
): readonly string[] {
  const { frame } = PLACES[dialect];
  for (let at = frames.length - 1; at >= 0; at -= 1) {
    const json = parseJson(frames[at] ?? '');
    const told = isObject(json) ? frame(json, usage) : undefined;
    if (told !== undefined) return frames.with(at, JSON.stringify(told));
  }
  return frames;
}

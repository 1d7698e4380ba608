/** What a client is told of the charged usage, also where the upstream reported none. */
import { clientDialect } from '../../dialects/all.ts';
import type { Dialect } from '../../dialects/hub/dialect.ts';
import type { PlainAnswer } from '../../dialects/openai/plain-answer.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import { renderJson } from '../../json/edit-json-text.ts';
import { isObject, parseJson } from '../../json/read-json.ts';
import type { CallRecord } from '../call/call-record.ts';

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
  const told = clientDialect(incoming).usageFields.answer(json, usage);
  const text = renderJson(plain.text, json, told);
  // Of another dialect, `json` is what the upstream said.
  return plain.frames === undefined ? { ...plain, text, json: told } : { ...plain, text };
}

/** The data of a stream's last frames, the last of them that may tell the usage telling it. */
export function withToldFrame(
  { usageFields }: Dialect,
  frames: readonly string[],
  usage: Usage,
): readonly string[] {
  for (let at = frames.length - 1; at >= 0; at -= 1) {
    const json = parseJson(frames[at] ?? '');
    const told = isObject(json) ? usageFields.frame(json, usage) : undefined;
    if (told !== undefined) return frames.with(at, JSON.stringify(told));
  }
  return frames;
}

/** Reports the charged usage to the client, even if the upstream reported none. */
import { clientDialect } from '../../dialects/all.ts';
import type { PlainAnswer } from '../../dialects/hub/answer/answer-reader.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import { renderJson } from '../../json/edit-json-text.ts';
import { isObject, parseJson } from '../../json/read-json.ts';
import type { Ended } from '../call/call-end.ts';

/** The charged usage; an estimate is marked as such. */
export function reportedUsage({ usage, usageSource }: Ended): Usage | undefined {
  const isEstimated = usage !== undefined && usageSource === 'estimated';
  return isEstimated ? { ...usage, isEstimated } : usage;
}

/**
 * The whole answer with the usage that it is charged by; the same object if it has that already.
 */
export function withReportedUsage(end: Ended, plain: PlainAnswer): PlainAnswer {
  const { incoming } = end.call;
  const usage = reportedUsage(end);
  const hasUsageField = incoming.endpoint === 'chat' || incoming.endpoint === 'completions';
  if (!hasUsageField || usage?.isEstimated === undefined) return plain;
  const json = parseJson(plain.text);
  if (!isObject(json)) return plain;
  const edited = clientDialect(incoming).usageFields.answer(json, usage);
  const text = renderJson(plain.text, json, edited);
  return { ...plain, text };
}

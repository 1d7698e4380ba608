/** Why and since when a channel is disabled, from its `other_info`. */
import { isObject, parseJson } from '../../../../../src/json/read-json.ts';
export interface StatusInfo {
  readonly reason: string;
  /** Epoch seconds; 0 is unknown. */
  readonly at: number;
}

/** Both are empty if the text is empty or not readable. */
export function statusInfoOf(otherInfo: string): StatusInfo {
  const info = parsed(otherInfo);
  const { status_reason: reason, status_time: at } = info;
  return {
    reason: typeof reason === 'string' ? reason : '',
    at: typeof at === 'number' && Number.isFinite(at) ? at : 0,
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  // The common case; throwing and catching an error costs more than the rest of a row.
  if (text === '') return {};
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

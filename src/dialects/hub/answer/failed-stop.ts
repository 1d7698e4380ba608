/** Stop reasons that mean a failure if the model has said nothing and called no tool. */
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import type { HubEvent } from './events.ts';

const FAILED: ReadonlySet<string> = new Set([
  // Gemini; its OpenAI dialect writes `function_call_filter: MALFORMED_FUNCTION_CALL`.
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'NO_IMAGE',
  'OTHER',
  // Converse.
  'MALFORMED_MODEL_OUTPUT',
  'MALFORMED_TOOL_USE',
]);

/** The failure of an answer without content; a request that is sent again may succeed. */
export function failureOfStop(reason: string): UpstreamError | undefined {
  const name = reason.slice(reason.lastIndexOf(' ') + 1).toUpperCase();
  if (!FAILED.has(name)) return undefined;
  return {
    status: 502,
    message: `the upstream ended the answer with ${name}`,
    type: 'upstream_error',
    code: name,
    param: '',
    retryable: true,
    disablesKey: false,
    concernsCall: true,
  };
}

/** Whether the event is part of what the client asked for; reasoning alone is not. */
export function isContent(event: HubEvent): boolean {
  if (event.kind === 'text' || event.kind === 'refusal') return event.text !== '';
  return event.kind === 'media' || event.kind === 'tool_start';
}

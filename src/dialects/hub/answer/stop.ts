/** Stop reasons in one vocabulary, with their names in each dialect. */

export type Stop =
  | 'end'
  | 'stop_sequence'
  | 'max_tokens'
  | 'context_full'
  | 'tool_calls'
  /** The vendor paused a long turn; the client may send it back to continue. */
  | 'pause'
  | 'refusal';

interface StopRow {
  readonly chat: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly anthropic: string;
  readonly gemini: string;
  /** Why an answer is incomplete; undefined for a complete one. */
  readonly responses?: 'max_output_tokens' | 'content_filter';
}

export const STOPS: Readonly<Record<Stop, StopRow>> = {
  end: { chat: 'stop', anthropic: 'end_turn', gemini: 'STOP' },
  stop_sequence: {
    chat: 'stop',
    anthropic: 'stop_sequence',
    gemini: 'STOP',
  },
  max_tokens: {
    chat: 'length',
    anthropic: 'max_tokens',
    gemini: 'MAX_TOKENS',
    responses: 'max_output_tokens',
  },
  context_full: {
    chat: 'length',
    anthropic: 'model_context_window_exceeded',
    gemini: 'MAX_TOKENS',
    responses: 'max_output_tokens',
  },
  tool_calls: { chat: 'tool_calls', anthropic: 'tool_use', gemini: 'STOP' },
  pause: { chat: 'stop', anthropic: 'pause_turn', gemini: 'STOP' },
  refusal: {
    chat: 'content_filter',
    anthropic: 'refusal',
    gemini: 'SAFETY',
    responses: 'content_filter',
  },
};

/** Stop reasons of OpenAI and of compatible servers. */
const CHAT_STOPS: Readonly<Record<string, Stop>> = {
  stop: 'end',
  length: 'max_tokens',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'refusal',
  model_length: 'max_tokens',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'context_full',
  insufficient_system_resource: 'max_tokens',
  sensitive: 'refusal',
  tool_use: 'tool_calls',
};

const ANTHROPIC_STOPS: Readonly<Record<string, Stop>> = {
  end_turn: 'end',
  stop_sequence: 'stop_sequence',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'context_full',
  tool_use: 'tool_calls',
  pause_turn: 'pause',
  refusal: 'refusal',
};

const CONVERSE_STOPS: Readonly<Record<string, Stop>> = {
  end_turn: 'end',
  stop_sequence: 'stop_sequence',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'context_full',
  tool_use: 'tool_calls',
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
};

const GEMINI_STOPS: Readonly<Record<string, Stop>> = {
  STOP: 'end',
  MAX_TOKENS: 'max_tokens',
  CONTINUATION: 'max_tokens',
  SAFETY: 'refusal',
  BLOCKLIST: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  SPII: 'refusal',
  RECITATION: 'refusal',
  LANGUAGE: 'refusal',
  MODEL_ARMOR: 'refusal',
  JAILBREAK: 'refusal',
  IMAGE_SAFETY: 'refusal',
  IMAGE_PROHIBITED_CONTENT: 'refusal',
  IMAGE_RECITATION: 'refusal',
  IMAGE_OTHER: 'refusal',
};

/** An unknown reason counts as a normal end. */
export function stopOfChat(reason: string): Stop {
  return CHAT_STOPS[reason] ?? 'end';
}

export function stopOfAnthropic(reason: string): Stop {
  return ANTHROPIC_STOPS[reason] ?? 'end';
}

export function stopOfConverse(reason: string): Stop {
  return CONVERSE_STOPS[reason] ?? 'end';
}

export function stopOfGemini(reason: string): Stop {
  return GEMINI_STOPS[reason] ?? 'end';
}

/** Some models and servers report a normal end although they called a tool. */
export function effectiveStop(stop: Stop | undefined, hasToolCalls: boolean): Stop {
  if (stop === undefined || stop === 'end') return hasToolCalls ? 'tool_calls' : 'end';
  // Without a tool call, the client would have nothing to run and would wait.
  return stop === 'tool_calls' && !hasToolCalls ? 'end' : stop;
}

/** A scripted answer as the events of Anthropic's Messages or OpenAI's Responses. */
import { randomUUID } from 'node:crypto';
import { frameSet } from '../../upstream/answers/frame-set.ts';
import { plainChoice } from '../../upstream/content/choices.ts';
import type { ScriptedAnswer, ScriptedUsage } from './scripted-answer.ts';

const MESSAGES = frameSet('messages');
const RESPONSES = frameSet('responses');

export function messagesFrames(model: string, answer: ScriptedAnswer): object[] {
  const counts = messagesCounts(answer.usage);
  const frames = MESSAGES.stream(choiceOf(answer), {
    id: `msg_${randomUUID()}`,
    model,
    finish: answer.uses.length === 0 ? 'end_turn' : 'tool_use',
    countsAtStart: { ...counts, output_tokens: 1 },
    countsAtEnd: counts,
  });
  return frames.map(({ body }) => body);
}

export function responsesFrames(model: string, answer: ScriptedAnswer): object[] {
  const head = { id: `resp_${randomUUID()}`, object: 'response', created_at: 1_790_000_000, model };
  const frames = RESPONSES.stream(choiceOf(answer), {
    head,
    textId: `msg_${randomUUID()}`,
    textStatus: 'completed',
    status: 'completed',
    incomplete: null,
    counts: responsesCounts(answer.usage),
  });
  return frames.map(({ body }, sequence_number) => ({ ...body, sequence_number }));
}

function choiceOf({ text, uses }: ScriptedAnswer) {
  const calls = uses.map(({ name, input }) => ({
    id: `call_${randomUUID()}`,
    kind: 'function' as const,
    name,
    pieces: [JSON.stringify(input)],
  }));
  return plainChoice({ pieces: [text], calls });
}

function messagesCounts({ input, cached, written, output }: ScriptedUsage) {
  return {
    input_tokens: input - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}

function responsesCounts({ input, cached, output }: ScriptedUsage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

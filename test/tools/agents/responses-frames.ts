/** A scripted answer as the events of OpenAI's Responses. */
import { randomUUID } from 'node:crypto';
import type { ScriptedAnswer } from './scripted-answer.ts';

export function responsesFrames(model: string, { text, uses, usage }: ScriptedAnswer): object[] {
  const head = { id: `resp_${randomUUID()}`, object: 'response', created_at: 1_790_000_000, model };
  const content = [{ type: 'output_text', text, annotations: [] }];
  const items = [
    { type: 'message', id: `msg_${randomUUID()}`, role: 'assistant', status: 'completed', content },
    ...uses.map(({ name, input }) => ({
      type: 'function_call',
      id: `fc_${randomUUID()}`,
      call_id: `call_${randomUUID()}`,
      name,
      arguments: JSON.stringify(input),
      status: 'completed',
    })),
  ];
  const counts = {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
  const end = { ...head, status: 'completed', output: items, usage: counts };
  return [
    { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: end },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

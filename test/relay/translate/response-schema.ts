/** The response resource as the API documents it: all fields that clients may rely on. */
import { z } from 'zod';

const count = z.int().min(0);
const text = z.string();

const Part = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('output_text'),
    text,
    annotations: z.array(z.looseObject({ type: text })),
    logprobs: z.array(z.unknown()),
  }),
  z.looseObject({ type: z.literal('refusal'), refusal: text }),
]);
const Status = z.enum(['in_progress', 'completed', 'incomplete']);
const Item = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message'),
    id: text,
    role: z.literal('assistant'),
    status: Status,
    content: z.array(Part),
  }),
  z.looseObject({
    type: z.literal('reasoning'),
    id: text,
    summary: z.array(z.looseObject({ type: z.literal('summary_text'), text })),
  }),
  z.looseObject({
    type: z.literal('function_call'),
    id: text,
    call_id: text,
    name: text,
    arguments: text,
    status: Status,
  }),
]);
const Tool = z.looseObject({
  type: z.literal('function'),
  name: text,
  description: text.nullable(),
  parameters: z.looseObject({}).nullable(),
  strict: z.boolean().nullable(),
});

export const ResponseResource = z.looseObject({
  id: text,
  object: z.literal('response'),
  created_at: count,
  completed_at: count.nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  background: z.boolean(),
  error: z.looseObject({ code: text, message: text }).nullable(),
  incomplete_details: z.looseObject({ reason: text }).nullable(),
  instructions: text.nullable(),
  max_output_tokens: count.nullable(),
  max_tool_calls: count.nullable(),
  metadata: z.record(z.string(), text),
  model: text,
  output: z.array(Item),
  parallel_tool_calls: z.boolean(),
  previous_response_id: text.nullable(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  prompt_cache_key: text.nullable(),
  reasoning: z.looseObject({ effort: text.nullable(), summary: text.nullable().optional() }),
  safety_identifier: text.nullable(),
  service_tier: text,
  store: z.boolean(),
  temperature: z.number(),
  text: z.looseObject({ format: z.looseObject({ type: text }) }),
  tool_choice: z.union([text, z.looseObject({ type: text })]),
  tools: z.array(Tool),
  top_logprobs: count,
  top_p: z.number(),
  truncation: z.enum(['auto', 'disabled']),
  usage: z
    .looseObject({
      input_tokens: count,
      input_tokens_details: z.looseObject({ cached_tokens: count }),
      output_tokens: count,
      output_tokens_details: z.looseObject({ reasoning_tokens: count }),
      total_tokens: count,
    })
    .nullable(),
});

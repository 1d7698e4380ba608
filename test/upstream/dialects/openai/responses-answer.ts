/** The Responses API: items instead of a message, and one stream event per step. */
import { frameSet } from '../../answers/frame-set.ts';
import { type Composed, framedAnswer, type Setting } from '../../answers/framed-answer.ts';
import { fingerprint } from '../../content/text.ts';
import { sendsUsage, type Usage } from '../../content/usage.ts';
import { CREATED_AT_SEC } from './chat-completions.ts';
import { chatOf, type ResponsesBody } from './responses-body.ts';

const FRAMES = frameSet('responses');

/** Encrypted content that only this server accepts. */
const PROOF = 'gAAAAFakeProof==';
const INCOMPLETE = { length: 'max_output_tokens', content_filter: 'content_filter' } as const;

export function composeResponse(body: ResponsesBody, setting: Setting): Composed {
  const composed = framedAnswer(FRAMES, chatOf(body), setting, (usage, choice) => {
    const { finish, calls, pieces, reasoning, refused } = choice;
    const reason = finish === 'length' || finish === 'content_filter' ? INCOMPLETE[finish] : null;
    const key = fingerprint(JSON.stringify(calls.length) + pieces.join(''));
    const messageId = pieces.length > 0 ? `msg_${key}` : undefined;
    return {
      head: headOf(body, setting),
      thoughtsId: reasoning.length > 0 ? `rs_${key}` : undefined,
      ...(refused ? { refusalId: messageId } : { textId: messageId }),
      proof: body.include?.includes('reasoning.encrypted_content') ? PROOF : undefined,
      textStatus: finish === 'length' ? 'incomplete' : 'completed',
      status: reason === null ? 'completed' : 'incomplete',
      incomplete: reason && { reason },
      counts: sendsUsage(setting.plan) ? countsOf(usage) : null,
    };
  });
  return {
    usage: composed.usage,
    get plain() {
      return composed.plain;
    },
    get chunks() {
      return composed.chunks.map(({ body, ...chunk }, sequence_number) => ({
        ...chunk,
        body: { ...body, sequence_number },
      }));
    },
  };
}

/** A compacted conversation, opaque to clients. */
export function composeCompaction(body: ResponsesBody, setting: Setting): Composed {
  const composed = composeResponse(body, setting);
  const encrypted_content = `gAAAA${fingerprint(JSON.stringify(body.input))}`;
  const id = `resp_${setting.id}`;
  const output = [{ type: 'compaction', id: `cmp_${setting.id}`, encrypted_content }];
  const plain = { id, object: 'response.compaction', created_at: CREATED_AT_SEC, output };
  return { ...composed, plain: { ...plain, usage: countsOf(composed.usage) } };
}

/** A stored response that is retrieved. */
export function keptResponse(id: string, action: string): object {
  if (action === 'input_items') return { object: 'list', data: [], has_more: false };
  const status = action === 'cancel' ? 'cancelled' : 'completed';
  return {
    id,
    object: 'response',
    created_at: CREATED_AT_SEC,
    status,
    model: 'gpt-kept',
    output: [],
  };
}

function headOf(body: ResponsesBody, { id, model }: Setting) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: CREATED_AT_SEC,
    background: false,
    error: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null, ...body.reasoning },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium', ...body.text },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    user: null,
  };
}

function countsOf(usage: Usage) {
  const { prompt_tokens_details: cached, completion_tokens_details: thought } = usage;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: cached?.cached_tokens ?? 0,
      cache_write_tokens: cached?.cache_write_tokens ?? 0,
    },
    output_tokens: usage.completion_tokens ?? 0,
    output_tokens_details: { reasoning_tokens: thought?.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
  };
}

/**
 * Vendors with asynchronous image tasks: a task is created, polled and completed as its plan
 * permits.
 */
import * as z from 'zod/mini';
import { type Answer, bytesAnswer, jsonAnswer, refusalAnswer } from '../answers/answer.ts';
import { fingerprint } from '../content/text.ts';
import type { Plan } from '../plans/plan.ts';
import { soundOf } from './openai-audio.ts';

const Text = z.optional(z.string());

export const DashscopeTaskBody = z.strictObject({
  model: z.string(),
  input: z.strictObject({ prompt: z.string(), negative_prompt: Text }),
  parameters: z.strictObject({
    size: z.optional(z.string().check(z.regex(/^\d+\*\d+$/))),
    n: z.optional(z.int()),
    seed: z.optional(z.int()),
    prompt_extend: z.optional(z.boolean()),
    watermark: z.optional(z.boolean()),
  }),
});
export const DashscopeSpeechBody = z.strictObject({
  model: z.string(),
  input: z.strictObject({
    text: z.string(),
    voice: z.enum(['Cherry', 'Ethan']),
    language_type: Text,
    instructions: Text,
  }),
});
export const PredictionBody = z.strictObject({
  input: z.strictObject({
    prompt: z.string(),
    aspect_ratio: z.optional(z.enum(['1:1', '16:9', '9:16', '3:2', '2:3'])),
    seed: z.optional(z.int()),
  }),
});

/** Starts with the task's outcome: f for failure. */
function taskId(prompt: string, count: number): string {
  return `${prompt.includes('forbidden') ? 'f' : 's'}${count}-${fingerprint(prompt)}`;
}

export function dashscopeTaskAnswer(body: z.output<typeof DashscopeTaskBody>, plan: Plan): Answer {
  const id = taskId(body.input.prompt, body.parameters.n ?? 1);
  return jsonAnswer({ output: { task_id: id, task_status: 'PENDING' }, request_id: 'r-1' }, plan);
}

/** The audio file is on this server, named after its text. */
export function dashscopeSpeechAnswer(
  { input }: z.output<typeof DashscopeSpeechBody>,
  plan: Plan,
  host: string,
): Answer {
  const name = Buffer.from(input.text).toString('base64url');
  const audio = { data: '', url: `http://${host}/files/${name}.wav`, id: 'audio-1' };
  const usage = { characters: [...input.text].length };
  return jsonAnswer({ output: { finish_reason: 'stop', audio }, usage, request_id: 'r-3' }, plan);
}

export function predictionAnswer({ input }: z.output<typeof PredictionBody>, plan: Plan): Answer {
  const id = taskId(input.prompt, 1);
  return jsonAnswer({ id, status: 'starting', output: null, error: null }, plan);
}

const STATES: Readonly<Record<string, (id: string, plan: Plan) => object>> = {
  dashscope: dashscopeState,
  replicate: replicateState,
};

/** The state of a vendor's task, or a file created earlier. */
export function stateAnswer(vendor: string, id: string, plan: Plan): Answer {
  if (vendor === 'file') {
    const text = Buffer.from(id.replace(/\.wav$/, ''), 'base64url').toString();
    return bytesAnswer(soundOf(text), plan, 'audio/wav');
  }
  const state = STATES[vendor];
  return state === undefined
    ? refusalAnswer({ status: 404 }, plan, false)
    : jsonAnswer(state(id, plan), plan);
}

function dashscopeState(id: string, { stillRuns }: Plan): object {
  const output = { task_id: id, task_status: stillRuns ? 'RUNNING' : 'SUCCEEDED' };
  if (stillRuns) return { output };
  const failure = { code: 'DataInspectionFailed', message: 'Output data may be inappropriate.' };
  if (id.startsWith('f')) return { output: { ...output, task_status: 'FAILED', ...failure } };
  const count = Number(/^s(\d+)-/.exec(id)?.[1] ?? 1);
  const results = Array.from({ length: count }, (_, at) => ({
    url: `https://pictures.example/${id}-${at}.png`,
  }));
  return { output: { ...output, results }, usage: { image_count: count }, request_id: 'r-2' };
}

function replicateState(id: string, { stillRuns }: Plan): object {
  if (stillRuns) return { id, status: 'processing', output: null, error: null };
  if (id.startsWith('f')) return { id, status: 'failed', error: 'NSFW content detected.' };
  const output = [`https://pictures.example/${id}.webp`];
  return { id, status: 'succeeded', output, error: null };
}

/**
 * Vendors with asynchronous image tasks: a task is created, polled and completed as its plan
 * permits.
 */
import { type Answer, bytesAnswer, jsonAnswer, refusalAnswer } from '../answers/answer.ts';
import { fingerprint } from '../content/text.ts';
import type { Plan } from '../plans/plan.ts';
import { soundOf } from './openai-audio.ts';

/** Starts with the task's outcome: f for failure. */
export function taskId(prompt: string, count: number): string {
  return `${prompt.includes('forbidden') ? 'f' : 's'}${count}-${fingerprint(prompt)}`;
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

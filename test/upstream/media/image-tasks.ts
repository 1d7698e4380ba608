/**
 * Vendors with asynchronous image tasks: a task is created, polled and completed as its plan
 * permits.
 */
import { type Answer, bytesAnswer, jsonAnswer, refusalAnswer } from '../answers/answer.ts';
import { filledFor, templates } from '../answers/templates.ts';
import { fingerprint } from '../content/text.ts';
import type { Plan } from '../plans/plan.ts';
import { soundOf } from './openai-audio.ts';

/** Starts with the task's outcome: f for failure. */
export function taskId(prompt: string, count: number): string {
  return `${prompt.includes('forbidden') ? 'f' : 's'}${count}-${fingerprint(prompt)}`;
}

const STATES = templates('tasks');

/** The state of a vendor's task, or a file created earlier. */
export function stateAnswer(vendor: string, id: string, plan: Plan): Answer {
  if (vendor === 'file') {
    const text = Buffer.from(id.replace(/\.wav$/, ''), 'base64url').toString();
    return bytesAnswer(soundOf(text), plan, 'audio/wav');
  }
  const count = Number(/^s(\d+)-/.exec(id)?.[1] ?? 1);
  const results = Array.from({ length: count }, (_, at) => ({
    url: `https://pictures.example/${id}-${at}.png`,
  }));
  const { stillRuns } = plan;
  const state = filledFor(STATES, vendor, {
    id,
    stillRuns,
    failed: id.startsWith('f'),
    count,
    results,
  });
  return state === undefined
    ? refusalAnswer({ status: 404 }, plan, false)
    : jsonAnswer(state, plan);
}

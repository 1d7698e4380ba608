/**
 * An upstream with which agents work: it asks for a tool until the task is done, and reports the
 * tokens of what it read and wrote. It serves Anthropic's Messages and OpenAI's Responses.
 */
import { isObject, numberIn, parseJson, textIn } from '../../../src/json/read-json.ts';
import { createTokenCounter } from '../../../src/services/token-counter/counter.ts';
import { rawUpstream, SSE } from '../../relay/raw-upstream.ts';
import { THREAD_LIMITS } from '../../support/thread-limits.ts';
import { frameTexts } from '../../upstream/answers/sse-frames.ts';
import { conversationIn } from './conversation.ts';
import { scripted } from './script.ts';
import type { ScriptedUsage } from './scripted-answer.ts';
import { messagesFrames, responsesFrames } from './scripted-frames.ts';

export interface ScriptedUpstream {
  readonly url: string;
  /** Forgets all calls. `caches`: what it read before counts as read from its cache. */
  start(run: { readonly caches: boolean }): void;
  /** The lowest limit of an answer. */
  lowestLimit(): number;
  /** Answers that were longer than their limit. */
  tooLong(): number;
  close(): Promise<void>;
}

export async function scriptedUpstream(): Promise<ScriptedUpstream> {
  const raw = await rawUpstream();
  const counter = createTokenCounter(THREAD_LIMITS);
  /** Tokens that are in the cache, by the beginning of a conversation. */
  const seen = new Map<string, number>();
  let lowest = Number.POSITIVE_INFINITY;
  let tooLong = 0;
  let caches = false;
  raw.answer = async (response, { path, body: text }) => {
    const body = parseJson(text);
    if (!isObject(body)) return response.writeHead(400).end();
    const model = textIn(body, 'model') ?? '';
    const { task, ...conversation } = conversationIn(body);
    const { text: says, uses } = scripted({ task, ...conversation });
    const input = await counter.countPrompt(model, 'chat', body);
    const written = JSON.stringify(uses.map(({ name, input: given }) => [name, given]));
    const output = await counter.countText(model, says + written);
    const limit = numberIn(body, 'max_tokens') ?? numberIn(body, 'max_output_tokens');
    if (limit !== undefined) lowest = Math.min(lowest, limit);
    if (output > (limit ?? output)) tooLong += 1;
    const answer = { text: says, uses, usage: usageOf(task, input, output) };
    const frames = framesOf(path)(model, answer);
    return response.writeHead(200, SSE).end(frameTexts(frames, { done: false }, true).join(''));
  };
  return {
    url: raw.url,
    start(run) {
      seen.clear();
      raw.requests.length = 0;
      lowest = Number.POSITIVE_INFINITY;
      tooLong = 0;
      caches = run.caches;
    },
    lowestLimit: () => lowest,
    tooLong: () => tooLong,
    async close() {
      await raw.close();
      await counter.close();
    },
  };

  function usageOf(task: string, input: number, output: number): ScriptedUsage {
    const cached = caches ? Math.min(input, seen.get(task) ?? 0) : 0;
    seen.set(task, input);
    return { input, cached, written: caches ? input - cached : 0, output };
  }
}

function framesOf(path: string) {
  return path.includes('/messages') ? messagesFrames : responsesFrames;
}

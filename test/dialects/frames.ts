/** Frames for stream tests: fixtures by provider and case, and short generated ones. */
import { readFileSync } from 'node:fs';
import type {
  ForwardedReading,
  FrameForwarding,
} from '../../src/dialects/hub/answer/answer-reader.ts';
import {
  ChatStreamReader,
  type FrameReshaper,
  type TextEndpoint,
} from '../../src/dialects/openai/answer/stream-reader.ts';

export const IDENTITY = {
  id: 'chatcmpl-ours',
  createdSec: 1763700000,
  model: 'asked-model',
} as const;

/** The data of each event of `test/fixtures/<provider>/<case>.jsonl`. */
export function frames(path: string): string[] {
  const text = readFileSync(new URL(`../fixtures/${path}.jsonl`, import.meta.url), 'utf8');
  return text.trimEnd().split('\n');
}

interface TestReading extends Partial<ForwardedReading> {
  readonly endpoint?: TextEndpoint;
  readonly reshapers?: readonly FrameReshaper[];
}

export function reader({
  endpoint = 'chat',
  reshapers = [],
  ...reading
}: TestReading = {}): ChatStreamReader {
  const given = { clientAskedUsage: false, identity: IDENTITY, ...reading };
  return new ChatStreamReader(endpoint, given, reshapers);
}

/** The data sent to the client, frame by frame; the tail only if the stream is complete. */
export function relayed(read: ChatStreamReader, data: readonly string[]): string[] {
  const sent = data.flatMap((frame) => sentFor(read.readData(frame), frame));
  return read.isComplete ? [...sent, ...read.tail()] : sent;
}

function sentFor(forward: FrameForwarding, frame: string): string[] {
  if (forward === 'drop') return [];
  return [forward === 'as-is' ? frame : forward.json];
}

export function chunk(choice: object, extra: object = {}): string {
  const head = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1763700001,
    model: 'up-1',
  };
  return JSON.stringify({ ...head, choices: [{ index: 0, ...choice }], ...extra });
}

export function contentChunk(content: string, extra: object = {}): string {
  return chunk({ delta: { content }, finish_reason: null }, extra);
}

export const FINISH = chunk({ delta: {}, finish_reason: 'stop' });

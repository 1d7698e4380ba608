/** Speech and transcriptions in OpenAI's format. */
import * as z from 'zod/mini';
import { type Answer, bytesAnswer, jsonAnswer, streamAnswer } from '../answers/answer.ts';
import { type FrameSet, frameSet } from '../answers/frame-set.ts';
import { UNNAMED_WIRE } from '../answers/wires.ts';
import { plainChoice } from '../content/choices.ts';
import { promptTokensOf } from '../content/text.ts';
import type { Plan } from '../plans/plan.ts';
import { File } from './openai-images.ts';

const Text = z.optional(z.string());
const Texts = z.optional(z.union([z.string(), z.array(z.string())]));
const Switch = z.optional(z.union([z.boolean(), z.stringbool()]));

export const SpeechBody = z.strictObject({
  model: z.string(),
  input: z.string().check(z.minLength(1), z.maxLength(4096)),
  voice: z.string(),
  instructions: Text,
  response_format: z.optional(z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'])),
  speed: z.optional(z.number().check(z.gte(0.25), z.lte(4))),
  stream_format: z.optional(z.enum(['audio', 'sse'])),
});

export const TranscriptionBody = z.strictObject({
  model: z.string(),
  file: File,
  language: Text,
  prompt: Text,
  temperature: z.optional(z.coerce.number()),
  response_format: z.optional(
    z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']),
  ),
  'timestamp_granularities[]': Texts,
  'include[]': Texts,
  chunking_strategy: Text,
  stream: Switch,
});

/** Size of generated audio: bytes per character of text. */
export const BYTES_PER_CHARACTER = 1000;

export function soundOf(input: string): Buffer {
  return Buffer.alloc([...input].length * BYTES_PER_CHARACTER, input);
}

export function speechUsage(input: string) {
  const inputTokens = promptTokensOf(input);
  const outputTokens = [...input].length * 2;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    output_token_details: { audio_tokens: outputTokens, text_tokens: 0 },
  };
}

export function speechAnswer(body: z.output<typeof SpeechBody>, plan: Plan): Answer {
  const sound = soundOf(body.input);
  if (body.stream_format !== 'sse') return bytesAnswer(sound, plan, 'audio/mpeg');
  const half = sound.length / 2;
  const pieces = [sound.subarray(0, half), sound.subarray(half)];
  const usage = plan.usage === 'none' ? undefined : speechUsage(body.input);
  const encoded = pieces.map((piece) => piece.toString('base64'));
  return eventsAnswer(SPEECH, encoded, usage, plan);
}

const SPEECH = frameSet('speech');
const TRANSCRIPTION = frameSet('transcript');

function eventsAnswer(frames: FrameSet, pieces: readonly string[], usage: unknown, plan: Plan) {
  const chunks = frames.stream(plainChoice({ pieces }), { usage });
  return streamAnswer(chunks, plan, undefined, UNNAMED_WIRE);
}

export const TRANSCRIPT = 'The quick brown fox jumps over the lazy dog.';

/** Duration of audio as this upstream counts it: 1,000 bytes per second. */
function secondsOf(content: string): number {
  return content.length / 1000;
}

/** Audio tokens, ten per second. */
export function transcriptUsage(content: string, prompt = '') {
  const audio = Math.ceil(secondsOf(content) * 10);
  const text = promptTokensOf(prompt);
  const output = promptTokensOf(TRANSCRIPT);
  return {
    type: 'tokens',
    input_tokens: audio + text,
    input_token_details: { audio_tokens: audio, text_tokens: text },
    output_tokens: output,
    total_tokens: audio + text + output,
  };
}

type Transcription = z.output<typeof TranscriptionBody>;

export function transcriptAnswer(body: Transcription, plan: Plan): Answer {
  const { model, file, prompt, response_format: format = 'json' } = body;
  const seconds = secondsOf(file.content);
  const isWhisper = model.startsWith('whisper');
  const counted = isWhisper
    ? { type: 'duration', seconds: Math.ceil(seconds) }
    : transcriptUsage(file.content, prompt);
  const usage = plan.usage === 'none' ? undefined : counted;
  if (body.stream === true && !isWhisper)
    return eventsAnswer(TRANSCRIPTION, TRANSCRIPT.match(/ ?\S+/g) ?? [], usage, plan);
  if (format === 'text')
    return bytesAnswer(Buffer.from(`${TRANSCRIPT}\n`), plan, 'text/plain; charset=utf-8');
  if (format === 'srt' || format === 'vtt')
    return bytesAnswer(Buffer.from(cues(format)), plan, 'text/plain; charset=utf-8');
  const verbose = { task: 'transcribe', language: 'english', duration: seconds, segments: [] };
  const isVerbose = format === 'verbose_json';
  return jsonAnswer({ text: TRANSCRIPT, ...(isVerbose ? verbose : {}), usage }, plan);
}

function cues(format: 'srt' | 'vtt'): string {
  return format === 'srt'
    ? `1\n00:00:00,000 --> 00:00:02,000\n${TRANSCRIPT}\n\n`
    : `WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n${TRANSCRIPT}\n\n`;
}

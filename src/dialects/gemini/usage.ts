/** Gemini's usage: the output count excludes thinking, and the prompt count excludes tool use. */
import {
  emptyUsage,
  summed,
  totalInput,
  totalOutput,
  type Usage,
} from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { tokenCountIn } from '../hub/answer/token-count.ts';
import { objectsOf } from './fields.ts';

/** Undefined if all counts are zero. */
export function readGeminiUsage(raw: JsonObject): Usage | undefined {
  const prompt = tokenCountIn(raw, 'promptTokenCount') ?? 0;
  const toolUse = tokenCountIn(raw, 'toolUsePromptTokenCount') ?? 0;
  const cacheRead = Math.min(tokenCountIn(raw, 'cachedContentTokenCount') ?? 0, prompt);
  const uncached = prompt - cacheRead + toolUse;
  const audioInput = Math.min(uncachedTokens(raw, 'AUDIO'), uncached);
  const imageInput = Math.min(uncachedTokens(raw, 'IMAGE'), uncached - audioInput);
  const { output, thoughts } = readOutput(raw, prompt + toolUse);
  const audioOutput = Math.min(ofModality(raw, 'candidatesTokensDetails', 'AUDIO'), output);
  const images = ofModality(raw, 'candidatesTokensDetails', 'IMAGE');
  const imageOutput = Math.min(images, output - audioOutput);
  const text = output - audioOutput - imageOutput;
  const usage = {
    ...emptyUsage(),
    input: uncached - audioInput - imageInput,
    cacheRead,
    audioInput,
    imageInput,
    output: text,
    audioOutput,
    imageOutput,
    reasoning: Math.min(thoughts, text),
  };
  return totalInput(usage) + totalOutput(usage) === 0 ? undefined : usage;
}

/** Vertex may include thinking in the candidate tokens; the total shows whether it does. */
function readOutput(raw: JsonObject, input: number): { output: number; thoughts: number } {
  const total = tokenCountIn(raw, 'totalTokenCount');
  const thoughts = tokenCountIn(raw, 'thoughtsTokenCount') ?? 0;
  const answer = tokenCountIn(raw, 'candidatesTokenCount');
  if (answer === undefined) {
    const rest = total === undefined ? 0 : Math.max(0, total - input);
    return { output: Math.max(rest, thoughts), thoughts };
  }
  const isInside = thoughts > 0 && total === input + answer;
  return { output: isInside ? answer : answer + thoughts, thoughts };
}

type Media = 'AUDIO' | 'IMAGE';

/** The prompt's details include the cached tokens. */
function uncachedTokens(raw: JsonObject, media: Media): number {
  const cached = ofModality(raw, 'cacheTokensDetails', media);
  return Math.max(0, ofModality(raw, 'promptTokensDetails', media) - cached);
}

function ofModality(raw: JsonObject, name: string, media: Media): number {
  return objectsOf(raw, name)
    .filter(({ modality }) => modality === media)
    .reduce((sum, detail) => sum + (tokenCountIn(detail, 'tokenCount') ?? 0), 0);
}

/** Without the estimate marker, because Google's SDKs may reject unknown fields. */
export function toGeminiUsage(passes: Usage): JsonObject {
  const usage = summed(passes);
  const prompt = totalInput(usage);
  const output = totalOutput(usage);
  const { cacheRead, reasoning } = usage;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: prompt + output,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
  };
}
